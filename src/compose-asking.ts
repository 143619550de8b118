import type { Config } from './config/resolve.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { Random } from './lib/random.ts'
import { meetThreshold } from './quorum/threshold-met.ts'
import { standingOf } from './reads/releases.ts'
import { Connections } from './scan/connections.ts'
import { Discovery, type DiscoveryOptions, type ReloadedDiscovery } from './scan/discovery.ts'
import { EvidenceLog } from './scan/evidence-log.ts'
import { Budgets } from './scan/in-flight-budget.ts'
import type { InquiryOptions } from './scan/inquiry.ts'
import { JudgeThread } from './scan/judge-thread.ts'
import { createUndiciScanNode } from './scan/node.undici.ts'
import { operatorName, type Roster, type RosterVoter } from './scan/roster.ts'
import type { Events, RosterState, SuperValidatorEvents } from './telemetry/events.ts'

export type AskingOptions = Pick<Config, 'network' | 'scanClient' | 'evidence'>

export interface AskingDeps {
  readonly clock: Clock
  readonly random: Random
  readonly events: Events
}

export interface Asking extends AsyncDisposable {
  readonly clock: Clock
  readonly inquiry: InquiryOptions
  readonly budgets: Budgets
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly discovery: Discovery
  readonly handles: Handles
  /** Applies the options that can be reloaded (`docs/configuration.md`). */
  reload(options: AskingOptions): void
  reloadProblems(options: AskingOptions): readonly string[]
  quorumReachable(): boolean
  tellReachability(): void
}

export function composeAsking(options: AskingOptions, deps: AskingDeps): Asking {
  const { events } = deps
  const inquiry = inquiryOptions(options.scanClient)
  const evidence = new EvidenceLog({
    maxBytes: options.evidence.maxBytes,
    added: ({ outcome }) => events.evidenceKept(outcome),
  })
  const handles = new Handles(events)
  const budgets = new Budgets(options.scanClient)
  const connections = connectionsOf(options, { ...deps, budgets, handles }, () => tellReachability())
  const judge = new JudgeThread({ clock: systemClock, failed: (why) => events.threadFailed('judge', why) })
  const discovery = discoveryOf(options, inquiry, { ...deps, connections, judge, evidence, handles })
  const tellReachability = () => {
    const { roster } = discovery
    if (roster !== undefined) events.reachabilityChanged(reachabilityOf(roster, connections))
  }
  return {
    clock: deps.clock,
    inquiry,
    budgets,
    connections,
    judge,
    evidence,
    discovery,
    handles,
    reload: ({ scanClient }) => discovery.reload(reloadedDiscovery(scanClient)),
    reloadProblems: ({ scanClient }) => discovery.newProblems(reloadedDiscovery(scanClient)),
    quorumReachable: () => {
      const { roster } = discovery
      return roster !== undefined && meetThreshold(roster.electorate(), reachableVoters(roster, connections))
    },
    tellReachability,
    async [Symbol.asyncDispose]() {
      await judge[Symbol.asyncDispose]()
      await connections[Symbol.asyncDispose]()
    },
  }
}

function connectionsOf(
  { scanClient }: AskingOptions,
  { clock, events, budgets, handles }: AskingDeps & Pick<Asking, 'budgets' | 'handles'>,
  tellReachability: () => void,
): Connections {
  const { probeIntervalMs, requestTimeoutMs, allowHttp, allowPrivate } = scanClient
  return new Connections(
    { probeIntervalMs, requestTimeoutMs, rateLimit: scanClient },
    {
      clock,
      budgets,
      connect: (url, budget, rateLimit) =>
        createUndiciScanNode(
          { url, budget, rateLimit, allowHttp, allowPrivate, proxy: scanClient },
          { clock },
        ),
      probed: (voter, outcome, seconds) => handles.of(voter).asked(outcome, seconds),
      released: ({ names }, release) => {
        for (const name of names) events.releaseNamed(name, standingOf(release), release)
      },
      onReachabilityMayHaveChanged: tellReachability,
    },
  )
}

function discoveryOf(
  options: AskingOptions,
  inquiry: InquiryOptions,
  deps: AskingDeps & Pick<Asking, 'connections' | 'judge' | 'evidence' | 'handles'>,
): Discovery {
  const { events, connections, handles } = deps
  const { network, scanClient } = options
  const isLoose = network === 'remote' && scanClient.dsoPartyId === undefined && scanClient.discover
  return new Discovery(discoveryOptions(options, inquiry), {
    ...deps,
    events: {
      heard: (name, outcome, seconds) => events.scanAsked(name, outcome, seconds),
      seedAnswered: (seed, answer) => events.seedAnswered(seed, answer),
      refreshed: (outcome, why) => events.rosterRefreshed(outcome, why),
      fileFailed: (problem, why) => events.rosterFileFailed(problem, why),
      missing: (why, said) => events.rosterMissing(why, said),
      taken: (roster, _source, ageMs, singleSeed) => {
        handles.clear()
        const state = stateOf(roster, connections, ageMs, singleSeed)
        events.rosterTaken(isLoose ? { ...state, unpinnedDso: roster.set.dso } : state)
      },
    },
  })
}

export function discoveryOptions(
  { network, scanClient }: Pick<AskingOptions, 'network' | 'scanClient'>,
  inquiry = inquiryOptions(scanClient),
): DiscoveryOptions {
  const { scanType, rosterFile, dsoPartyId } = scanClient
  return {
    ...reloadedDiscovery(scanClient),
    discover: scanClient.discover && scanType !== 'trust-single',
    dsoPartyId,
    refreshIntervalMs: scanClient.refreshIntervalMs,
    inquiry,
    file:
      rosterFile === undefined
        ? undefined
        : { path: rosterFile, network, dso: dsoPartyId, maxAgeMs: scanClient.rosterMaxAgeMs },
  }
}

function reloadedDiscovery(scanClient: AskingOptions['scanClient']): ReloadedDiscovery {
  const { seedUrls: seeds, svNames, minimumVoters, scanType: mode } = scanClient
  const { threshold, thresholds, operators } = scanClient
  return {
    seeds,
    svNames,
    minimumVoters,
    trust: { mode, threshold, thresholds: defined(thresholds), operators },
  }
}

/**
 * Keeps the telemetry object of each super validator. The owner must call `clear` when the super
 * validators change. Otherwise an object may count in metrics that were removed.
 */
export class Handles {
  readonly #events: Events
  readonly #known = new Map<string, SuperValidatorEvents>()

  constructor(events: Events) {
    this.#events = events
  }

  of({ names }: RosterVoter): SuperValidatorEvents {
    const name = names[0] as string
    let handle = this.#known.get(name)
    if (handle === undefined) {
      handle = this.#events.forSuperValidator(name)
      this.#known.set(name, handle)
    }
    return handle
  }

  clear(): void {
    this.#known.clear()
  }
}

function inquiryOptions(scanClient: AskingOptions['scanClient']): InquiryOptions {
  const { fanout, requestTimeoutMs, deadlineMs, auditShare, maxResponseBytes, absentTexts } = scanClient
  return {
    fanout,
    requestTimeoutMs,
    deadlineMs,
    auditShare,
    maxResponseBytes,
    absentTexts: defined(absentTexts),
  }
}

function reachableVoters(roster: Roster, connections: Connections): number[] {
  return roster.voters.flatMap((voter, index) =>
    connections.find(voter)?.health.reachable === true ? [index] : [],
  )
}

function reachabilityOf(roster: Roster, connections: Connections) {
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

function distinctOperators(voters: readonly RosterVoter[]): number {
  return new Set(voters.map(({ operator }) => operator)).size
}

function stateOf(roster: Roster, connections: Connections, ageMs: number, singleSeed: boolean): RosterState {
  return {
    ...reachabilityOf(roster, connections),
    members: roster.voters.flatMap((voter) => {
      const said = { operator: operatorName(voter), ...(voter.place && { host: voter.place.host }) }
      return voter.names.map((name) => ({ name, ...said }))
    }),
    protected: roster.isProtected(),
    singleSeed,
    unmatchedOperators: roster.unmatchedOperators,
    unsafeThresholds: roster.unsafeThresholds(),
    ageMs,
  }
}

function defined<Value>(record: Readonly<Record<string, Value | undefined>>): Record<string, Value> {
  const entries = Object.entries(record).filter((entry): entry is [string, Value] => entry[1] !== undefined)
  return Object.fromEntries(entries)
}
