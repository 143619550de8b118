import type { Connections } from '../scan/connections.ts'
import type { Discovery } from '../scan/discovery.ts'
import type { EvidenceLog } from '../scan/evidence-log.ts'
import { operatorName } from '../scan/roster.ts'
import type { LastHour } from '../telemetry/last-hour.ts'
import type { LiveModel, ShownNode, ShownRoster } from './model.ts'

export interface Sources {
  readonly network: 'localnet' | 'remote'
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly connections: Pick<Connections, 'find' | 'ofRoster'>
  readonly evidence: Pick<EvidenceLog, 'cases'>
  readonly lastHour: LastHour
}

const mostDisagreements = 10

/** Collects the current data of the page. */
export function observed(
  { network, discovery, connections, evidence, lastHour }: Sources,
  nodes: readonly ShownNode[] | undefined,
): LiveModel {
  return {
    network,
    roster: rosterOf({ discovery, connections, lastHour }),
    waitingFor: discovery.status.waitingFor,
    disagreements: evidence.cases().slice(0, mostDisagreements),
    nodes,
  }
}

function rosterOf({
  discovery: { roster },
  connections,
  lastHour,
}: Pick<Sources, 'discovery' | 'connections' | 'lastHour'>): ShownRoster | undefined {
  if (roster === undefined) return undefined
  const { superValidators, operators } = roster.electorate()
  const standings = connections.ofRoster(roster).selection.standings()
  return {
    superValidators,
    operators,
    isProtected: roster.isProtected(),
    members: roster.voters.map((voter, index) => ({
      names: voter.names,
      operator: operatorName(voter),
      host: voter.place?.host,
      reachable: connections.find(voter)?.health.reachable,
      standing: standings[index],
      hour: lastHour.of(voter.names[0] as string),
    })),
  }
}
