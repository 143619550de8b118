import { meetThreshold } from '../quorum/tally.ts'
import type { Events } from '../telemetry/events.ts'
import type { RosterState } from '../telemetry/roster-events.ts'
import type { Connections } from './connections.ts'
import { operatorName, type Roster, type RosterVoter } from './roster.ts'

type FoundConnections = Pick<Connections, 'find'>

export interface ReachabilityWatchDeps {
  readonly connections: Connections
  readonly discovery: { readonly roster: Roster | undefined }
  readonly events: Pick<Events, 'reachabilityChanged'>
}

/** Whether as many super validators can be reached as are needed. */
export class ReachabilityWatch {
  readonly #deps: ReachabilityWatchDeps

  constructor(deps: ReachabilityWatchDeps) {
    this.#deps = deps
    deps.connections.watchReachability(() => this.tell())
  }

  tell(): void {
    const { connections, discovery, events } = this.#deps
    const { roster } = discovery
    if (roster !== undefined) events.reachabilityChanged(reachabilityOf(roster, connections))
  }

  /**
   * True if enough voters for the threshold were reachable when the daemon last asked each of them.
   */
  quorumReachable(): boolean {
    const { connections, discovery } = this.#deps
    const { roster } = discovery
    return roster !== undefined && meetThreshold(roster.electorate(), reachableVoters(roster, connections))
  }
}

export function rosterState(
  roster: Roster,
  connections: FoundConnections,
): Omit<RosterState, 'singleSeed' | 'unpinnedDso' | 'ageMs'> {
  return {
    ...reachabilityOf(roster, connections),
    members: roster.voters.flatMap((voter) => {
      const said = { operator: operatorName(voter), ...(voter.place && { host: voter.place.host }) }
      return voter.names.map((name) => ({ name, ...said }))
    }),
    protected: roster.isProtected(),
    unmatchedOperators: roster.unmatchedOperators,
    unsafeThresholds: roster.unsafeThresholds(),
  }
}

function reachabilityOf(roster: Roster, connections: FoundConnections) {
  const voters = reachableVoters(roster, connections).map((index) => roster.voters[index] as RosterVoter)
  const unheard = roster.voters.filter((voter) => {
    const connection = connections.find(voter)
    return connection !== undefined && connection.health.reachable === undefined
  })
  const { superValidators, operators } = roster.electorate()
  const { threshold } = superValidators
  const counted = {
    superValidators: { threshold, reachable: voters.length, unheard: unheard.length },
    reachableMembers: voters.flatMap(({ names }) => names).length,
  }
  if (operators === undefined) return counted
  const reachable = distinctOperators(voters)
  return {
    ...counted,
    operators: {
      threshold: operators.threshold,
      reachable,
      unheard: distinctOperators([...voters, ...unheard]) - reachable,
    },
  }
}

function reachableVoters(roster: Roster, connections: FoundConnections): number[] {
  return roster.voters.flatMap((voter, index) =>
    connections.find(voter)?.health.reachable === true ? [index] : [],
  )
}

function distinctOperators(voters: readonly RosterVoter[]): number {
  return new Set(voters.map(({ operator }) => operator)).size
}
