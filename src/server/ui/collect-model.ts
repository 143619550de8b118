import type { NetworkKind } from '../../base/config/network-kind.ts'
import type { LastHour } from '../../base/telemetry/last-hour.ts'
import type { Traffic } from '../../base/telemetry/traffic.ts'
import type { Connections } from '../../core/scan/connections.ts'
import type { Discovery } from '../../core/scan/discovery.ts'
import type { EvidenceLog } from '../../core/scan/evidence-log.ts'
import { operatorName } from '../../core/scan/roster.ts'
import type { LiveModel, ShownRoster } from './model.ts'

export interface Sources {
  readonly network: NetworkKind
  readonly discovery: Pick<Discovery, 'roster' | 'status'>
  readonly connections: Pick<Connections, 'find' | 'ofRoster'>
  readonly evidence: Pick<EvidenceLog, 'cases'>
  readonly lastHour: LastHour
  readonly traffic: Traffic
  /**
   * Returns the time of the network in milliseconds since 1970 UTC. On a localnet, it can be ahead
   * of the time of the daemon's machine.
   */
  readonly networkMs: () => number
  readonly machineMs: () => number
}

const mostDisagreements = 500

export function collectModel(
  sources: Sources,
  { nodes, doctor }: Pick<LiveModel, 'nodes' | 'doctor'>,
): LiveModel {
  const { network, discovery, evidence, lastHour, traffic, networkMs, machineMs } = sources
  const { waitingFor, seeds } = discovery.status
  const agreedAgoMs = lastHour.reads.agreedAgoMs()
  return {
    network,
    networkMs: networkMs(),
    machineMs: machineMs(),
    roster: rosterOf(sources),
    waitingFor,
    seeds,
    agreedAt: agreedAgoMs === undefined ? undefined : machineMs() - agreedAgoMs,
    disagreements: evidence.cases().slice(0, mostDisagreements),
    traffic: traffic.minutes(),
    nodes,
    doctor,
  }
}

function rosterOf({ discovery: { roster }, connections, lastHour }: Sources): ShownRoster | undefined {
  if (roster === undefined) return undefined
  const { superValidators, operators } = roster.electorate()
  const standings = connections.ofRoster(roster).selection.standings()
  return {
    dso: roster.membership.dso,
    superValidators,
    operators,
    isProtected: roster.isProtected(),
    members: roster.voters.map((voter, index) => {
      const connection = connections.find(voter)
      return {
        names: voter.names,
        operator: operatorName(voter),
        host: voter.place?.host,
        reachable: connection?.health.reachable,
        standing: standings[index],
        release: connection?.release,
        hour: lastHour.of(voter.names[0] as string),
      }
    }),
  }
}
