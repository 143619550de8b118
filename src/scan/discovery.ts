import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../config/resolve.ts'
import { SpliceError } from '../errors/splice.ts'
import { byName } from '../lib/by-name.ts'
import { ageMs, type Clock, type Moment, momentBefore, momentOf } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Events } from '../telemetry/events.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { placeOf, type ScanOrigin } from './origin.ts'
import { rosterState } from './reachability.ts'
import {
  canonicalOf,
  isDrastic,
  outOfReach,
  placesOf,
  Roster,
  type RosterSet,
  type RosterVoter,
  rosterDecidingElectorate,
  seedElectorate,
  seedsAsSet,
  type Trust,
  trustedPart,
} from './roster.ts'
import { KeptRoster, type KeptRosterDeps, type RosterFileOptions } from './roster-file.ts'
import {
  countOutcomes,
  type RosterPoll,
  RosterPolls,
  type RosterPollsDeps,
  type RosterPollsOptions,
  type SeedState,
  whyNoSet,
  whyUnconfirmed,
} from './roster-poll.ts'

const firstRetryMs = 500
const longestRetryMs = 30_000

const mostWarmed = 16

export interface DiscoveryOptions extends TrustOptions, RosterPollsOptions {
  readonly seeds: readonly string[]
  /** If false, the configured seeds are the roster. */
  readonly discover: boolean
  readonly refreshIntervalMs: number
}

type DiscoveryConfig = Pick<Config, 'network' | 'scanClient'>

export interface DiscoveryDeps extends RosterPollsDeps {
  readonly random: Random
  readonly events: RosterPollsDeps['events'] &
    KeptRosterDeps['events'] &
    Pick<Events, 'rosterTaken' | 'rosterRefreshed' | 'rosterMissing'>
}

export interface DiscoveryStatus {
  readonly source: RosterSource | undefined
  /**
   * Milliseconds since a quorum last agreed on this roster, or since the configured seeds became
   * the roster.
   */
  readonly ageMs: number | undefined
  /**
   * True if a single seed was enough to name the super validators, because there are too few seeds
   * for a threshold above 1.
   */
  readonly onOneSeedsWord: boolean
  readonly waitingFor: string | undefined
  readonly seeds: readonly SeedState[]
}

/**
 * Maintains the roster. At the start f+1 of the configured seeds must agree on it, then a quorum of
 * its own members must confirm it. The members also decide about every later refresh
 * (quorum.md#the-first-roster).
 */
export class Discovery implements AsyncDisposable {
  #options: DiscoveryOptions
  readonly #deps: DiscoveryDeps
  #seeds: Electorate
  readonly #polls: RosterPolls
  /**
   * Aborts the attempts to agree on a roster. `reload` replaces the controller, so that no attempt
   * continues under the former options.
   */
  #life = new AbortController()
  readonly #inForce: RosterInForce
  #why = 'the seeds are being asked'
  /**
   * The canonical JSON of a roster set that differs drastically from the current one (`isDrastic`).
   * The daemon adopts this set only if the next refresh returns it again.
   */
  #drasticSetSeenOnce: string | undefined
  #confirmed = false
  /** True on a real network without a configured DSO: the first roster says which one it is. */
  readonly #believesAnyDso: boolean
  readonly #schedule: RefreshSchedule
  readonly #kept: KeptRoster
  #running: Promise<void> = Promise.resolve()

  constructor(config: DiscoveryConfig, deps: DiscoveryDeps) {
    const options = discoveryOptions(config)
    this.#options = options
    this.#deps = deps
    this.#believesAnyDso =
      config.network === 'remote' && config.scanClient.dsoPartyId === undefined && config.scanClient.discover
    this.#seeds = seedElectorate(options.seeds, options.trust)
    this.#polls = new RosterPolls(options, deps)
    this.#schedule = new RefreshSchedule(options.refreshIntervalMs, deps)
    this.#kept = new KeptRoster(options.file, deps)
    this.#inForce = new RosterInForce(options, {
      ...deps,
      taken: (roster, { ageMs }) =>
        deps.events.rosterTaken({
          ...rosterState(roster, deps.connections),
          singleSeed: this.status.onOneSeedsWord,
          ageMs,
          ...(this.#believesAnyDso && { unpinnedDso: roster.set.dso }),
        }),
    })
  }

  get roster(): Roster | undefined {
    return this.#inForce.roster
  }

  get status(): DiscoveryStatus {
    const { source, ageMs } = this.#inForce
    return {
      source,
      ageMs,
      onOneSeedsWord:
        this.#confirmed && this.#options.discover && this.#seeds.superValidators.threshold === 1,
      waitingFor: this.roster === undefined ? this.#why : undefined,
      seeds: this.#polls.seedStates(this.#options.seeds),
    }
  }

  /**
   * Resolves when there is a roster, or when the first attempt has failed. Further attempts follow
   * by themselves.
   */
  async start(): Promise<void> {
    if (!this.#options.discover) return this.#takeSeedsAsRoster()
    await this.#takeKept()
    const first = this.#attempt()
    if (this.roster === undefined) await first
  }

  /**
   * Returns a sentence for each new option under which the roster in force could answer fewer reads,
   * or none (`RosterInForce.newProblems`).
   */
  newProblems({ scanClient }: DiscoveryConfig): readonly string[] {
    const options = reloadedOptions(scanClient)
    const { discover, seeds } = this.#options
    return discover && isDeepStrictEqual(options.seeds, seeds) ? this.#inForce.newProblems(options) : []
  }

  /**
   * Applies new options. The daemon rebuilds the current roster at once, so that no read begins
   * under the former thresholds; reads in progress end under the roster with which they began. If
   * the seeds changed, the super validators of the former roster vote until the new seeds agree on
   * a roster.
   */
  reload({ scanClient }: DiscoveryConfig): void {
    const options = reloadedOptions(scanClient)
    const { seeds, svNames, minimumVoters, trust } = this.#options
    if (isDeepStrictEqual(options, { seeds, svNames, minimumVoters, trust })) return
    this.#options = { ...this.#options, ...options }
    this.#seeds = seedElectorate(options.seeds, options.trust)
    this.#polls.keepAnswersOf(options.seeds)
    this.#schedule.cancel()
    this.#life.abort()
    this.#life = new AbortController()
    this.#drasticSetSeenOnce = undefined
    this.#inForce.configure(this.#options)
    if (!this.#options.discover) return this.#takeSeedsAsRoster()
    const isOfFormerSeeds = !isDeepStrictEqual(options.seeds, seeds)
    if (!this.#inForce.formAgain() || isOfFormerSeeds) this.#confirmed = false
    const before = this.#running
    this.#running = Promise.all([before, this.#attempt()]).then(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#schedule.cancel()
    this.#life.abort()
    await this.#running
  }

  #takeSeedsAsRoster(): void {
    const set = seedsAsSet(this.#options.seeds, this.#options.dsoPartyId)
    this.#confirmed = true
    this.#inForce.take(this.#inForce.formed(set), set, { source: 'configuration', ageMs: 0 })
  }

  async #takeKept(): Promise<void> {
    const kept = await this.#kept.read()
    if (kept === undefined) return
    const roster = this.#inForce.formed(kept.set)
    if (this.#inForce.isLargeEnough(roster))
      this.#inForce.take(roster, kept.set, { source: 'file', ageMs: kept.ageMs })
  }

  #attempt(): Promise<void> {
    const { signal } = this.#life
    const { roster } = this
    const attempt = this.#confirmed && roster !== undefined ? this.#refresh(roster) : this.#bootstrap()
    this.#running = attempt.then(
      (done) => {
        if (!signal.aborted) this.#schedule.next(done, () => void this.#attempt())
      },
      () => {
        // The attempt rejects only if it is aborted, because the daemon is closing or has new
        // options.
      },
    )
    return this.#running
  }

  async #bootstrap(): Promise<boolean> {
    const electorate = this.#seeds
    this.#deps.connections.retain(this.#wantedUrls())
    const { signal } = this.#life
    const onFirstRoster = (set: RosterSet) => this.#warm(set)
    const poll = await this.#polls.seeds(electorate, { patient: false, onFirstRoster, signal })
    const { set } = poll
    if (set === undefined) {
      this.#why = whyNoSet(electorate, poll)
      this.#polls.keepDisagreement(electorate, poll)
      return this.#failFirst(poll)
    }
    const roster = this.#inForce.formed(set)
    if (!this.#inForce.isLargeEnough(roster)) {
      this.#why = `it has ${roster.size} super validators, and ${this.#options.minimumVoters} are the least`
      return this.#failFirst(poll)
    }
    return this.#confirm(roster, set)
  }

  async #confirm(roster: Roster, set: RosterSet): Promise<boolean> {
    const electorate = rosterDecidingElectorate(roster)
    const poll = await this.#polls.members(electorate, { patient: false, signal: this.#life.signal })
    if (poll.set === undefined || canonicalOf(poll.set) !== canonicalOf(set)) {
      this.#why = whyUnconfirmed(electorate, poll, set)
      this.#polls.keepDisagreement(electorate, poll, set)
      return this.#failFirst(poll)
    }
    this.#confirmed = true
    this.#inForce.take(roster, set, { source: 'seeds', ageMs: 0 })
    await this.#kept.write(set)
    return true
  }

  async #refresh(current: Roster): Promise<boolean> {
    const electorate = rosterDecidingElectorate(current)
    const poll = await this.#polls.members(electorate, { patient: true, signal: this.#life.signal })
    const { set } = poll
    if (set === undefined || set.dso !== current.set.dso) {
      this.#polls.keepDisagreement(electorate, poll, set && current.set)
      return this.#fail(
        set === undefined ? 'the super validators do not agree on who they are' : 'the DSO is another one',
      )
    }
    return this.#adopt(current, set)
  }

  async #adopt(current: Roster, set: RosterSet): Promise<boolean> {
    const roster = this.#inForce.formed(set)
    if (!this.#inForce.isLargeEnough(roster)) return this.#fail('the new roster has too few super validators')
    const isSame = canonicalOf(roster.set) === canonicalOf(current.set)
    if (
      !isSame &&
      isDrastic(current.set, roster.set) &&
      this.#drasticSetSeenOnce !== canonicalOf(roster.set)
    ) {
      this.#drasticSetSeenOnce = canonicalOf(roster.set)
      this.#deps.events.rosterRefreshed(
        'held',
        'so much of the roster changed that a second refresh has to say the same',
      )
      return true
    }
    this.#drasticSetSeenOnce = undefined
    if (isSame) this.#inForce.confirmed(set)
    this.#deps.events.rosterRefreshed(isSame ? 'same' : 'changed', '')
    if (!isSame) this.#inForce.take(roster, set, { source: 'refresh', ageMs: 0 })
    await this.#kept.write(set)
    return true
  }

  #wantedUrls(): readonly string[] {
    const voters = [...(this.#seeds.voters as readonly RosterVoter[]), ...(this.roster?.voters ?? [])]
    return voters.flatMap(placesOf).map(({ url }) => url)
  }

  #fail(why: string): false {
    this.#drasticSetSeenOnce = undefined
    this.#deps.events.rosterRefreshed('failed', why)
    return false
  }

  #failFirst({ results }: RosterPoll): false {
    if (this.roster !== undefined) return this.#fail(this.#why)
    this.#deps.events.rosterMissing(this.#why, countOutcomes(results))
    return false
  }

  /** Nothing is agreed yet, so a false list must not lead to many addresses of its choice. */
  #warm({ members }: RosterSet): void {
    const places = members.flatMap(({ urls }) => urls.map(placeOf).find((place) => place !== undefined) ?? [])
    const seeds = (this.#seeds.voters as readonly RosterVoter[]).flatMap(placesOf)
    const isSeed = ({ origin }: ScanOrigin) => seeds.some((seed) => seed.origin === origin)
    const inOrder = [...places.filter(isSeed), ...places.filter((place) => !isSeed(place))]
    for (const { url } of inOrder.slice(0, mostWarmed)) this.#deps.connections.to(url).node.warm()
  }
}

/** What the options of the configuration that are about the roster mean. */
export function discoveryOptions({ network, scanClient }: DiscoveryConfig): DiscoveryOptions {
  const { scanType, rosterFile, dsoPartyId, refreshIntervalMs, rosterMaxAgeMs } = scanClient
  return {
    ...reloadedOptions(scanClient),
    discover: scanClient.discover && scanType !== 'trust-single',
    dsoPartyId,
    refreshIntervalMs,
    inquiry: scanClient,
    file:
      rosterFile === undefined
        ? undefined
        : { path: rosterFile, network, dso: dsoPartyId, maxAgeMs: rosterMaxAgeMs },
  }
}

function reloadedOptions(scanClient: Config['scanClient']) {
  const {
    seedUrls: seeds,
    svNames,
    minimumVoters,
    scanType: mode,
    threshold,
    thresholds,
    operators,
  } = scanClient
  return { seeds, svNames, minimumVoters, trust: { mode, threshold, thresholds, operators } }
}

interface RefreshScheduleDeps {
  readonly clock: Clock
  readonly random: Random
}

class RefreshSchedule {
  readonly #intervalMs: number
  readonly #deps: RefreshScheduleDeps
  #failures = 0
  #cancel: (() => void) | undefined

  constructor(intervalMs: number, deps: RefreshScheduleDeps) {
    this.#intervalMs = intervalMs
    this.#deps = deps
  }

  /**
   * Schedules the next attempt: after the interval, or sooner if the last attempt failed.
   * @param done whether the last attempt succeeded.
   */
  next(done: boolean, attempt: () => void): void {
    const { clock, random } = this.#deps
    this.#failures = done ? 0 : this.#failures + 1
    const backoffMs = firstRetryMs * 2 ** Math.min(this.#failures - 1, 10)
    const retryMs = Math.min(longestRetryMs, this.#intervalMs, backoffMs)
    const afterMs = done ? this.#intervalMs * (0.9 + 0.2 * random()) : retryMs * (0.5 + random() / 2)
    this.#cancel = clock.after(afterMs, attempt)
  }

  cancel(): void {
    this.#cancel?.()
    this.#failures = 0
  }
}

export const retryAfterSeconds = 2

/** @throws SpliceError `noRosterYet` if there is no roster. */
export function requiredRoster(discovery: Pick<Discovery, 'roster' | 'status'>): Roster {
  if (discovery.roster !== undefined) return discovery.roster
  const why = discovery.status.waitingFor ?? ''
  throw new SpliceError('noRosterYet', { why }, { retryAfter: retryAfterSeconds })
}

/**
 * Adds the outcome of each seed to a `noRosterYet`. A program without a logger can learn them only
 * from this error.
 */
export function namingSeeds(error: unknown, { seeds }: DiscoveryStatus): unknown {
  if (!(error instanceof SpliceError) || error.code !== 'noRosterYet') return error
  const said = Map.groupBy(seeds, ({ outcome }) => outcome)
  const counts = [...said].map(([outcome, { length }]) => `${outcome} ${length}`).join(', ')
  const causes = seeds.map(({ url, outcome, detail }) => new Error(`${url}: ${outcome}: ${detail}`))
  const { retryAfter, values } = error
  return new SpliceError(
    'noRosterYet',
    { why: `${values['why']} (seeds: ${counts})` },
    {
      ...(retryAfter !== undefined && { retryAfter }),
      cause: new AggregateError(causes, 'the outcome of each seed'),
    },
  )
}

/**
 * The source of the roster that reads use.
 * - `seeds`: the seeds agreed on it, and its members confirmed it.
 * - `refresh`: its own members agreed on it.
 * - `file`: it is from the roster file.
 * - `configuration`: it consists of the configured seeds.
 */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

export interface RosterBasis {
  readonly source: RosterSource
  readonly ageMs: number
}

export interface TrustOptions {
  readonly trust: Trust
  /**
   * The names of the super validators that the mode `bft-custom` trusts, even if the network does
   * not publish them.
   */
  readonly svNames: readonly string[]
  readonly minimumVoters: number
  readonly file: RosterFileOptions | undefined
}

export interface RosterInForceDeps {
  readonly clock: Clock
  readonly connections: Pick<Connections, 'keep'>
  readonly evidence: Pick<EvidenceLog, 'setRoster'>
  readonly taken: (roster: Roster, basis: RosterBasis) => void
}

/** Holds the roster that reads use: the `trustedPart` of the last agreed `RosterSet`. */
export class RosterInForce {
  readonly #deps: RosterInForceDeps
  #options: TrustOptions
  #roster: Roster | undefined
  #agreedSet: RosterSet | undefined
  #source: RosterSource | undefined
  #agreedAt: Moment | undefined

  constructor(options: TrustOptions, deps: RosterInForceDeps) {
    this.#options = options
    this.#deps = deps
  }

  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get source(): RosterSource | undefined {
    return this.#source
  }

  get ageMs(): number | undefined {
    return this.#agreedAt && ageMs(this.#agreedAt, momentOf(this.#deps.clock))
  }

  formed(set: RosterSet): Roster {
    const { trust, svNames } = this.#options
    return new Roster(trustedPart(set, trust, svNames), trust)
  }

  /**
   * Returns a sentence for each threshold that the new options would put above the roster's number
   * of votes, and for a least number of super validators that the roster would not reach. Thresholds
   * that are already too high are left out.
   */
  newProblems({ trust, svNames, minimumVoters }: Omit<TrustOptions, 'file'>): readonly string[] {
    const { roster } = this
    if (roster === undefined || this.#agreedSet === undefined) return []
    const next = new Roster(trustedPart(this.#agreedSet, trust, svNames), trust)
    const now = new Set(
      roster
        .unsafeThresholds()
        .filter(({ threshold, voters }) => threshold > voters)
        .map(({ option }) => option),
    )
    const tooHigh = outOfReach(next.unsafeThresholds().filter(({ option }) => !now.has(option)))
    if (next.size >= minimumVoters) return tooHigh
    return [
      ...tooHigh,
      `scanClient.minimumVoters must be at most the number of super validators in the roster, ${next.size}, not ${minimumVoters}`,
    ]
  }

  isLargeEnough({ size }: Roster): boolean {
    return size >= this.#options.minimumVoters
  }

  take(roster: Roster, set: RosterSet, basis: RosterBasis): void {
    const { clock, connections, evidence, taken } = this.#deps
    this.#roster = roster
    this.#agreedSet = set
    this.#source = basis.source
    this.#agreedAt = momentBefore(momentOf(clock), basis.ageMs)
    connections.keep(roster)
    evidence.setRoster(roster.set.members.map(({ name }) => name))
    taken(roster, basis)
  }

  /** Records that a quorum of the current roster's members confirmed the roster. */
  confirmed(set: RosterSet): void {
    this.#agreedSet = set
    this.#agreedAt = momentOf(this.#deps.clock)
    this.#source = 'refresh'
  }

  configure(options: TrustOptions): void {
    this.#options = options
  }

  /**
   * Rebuilds the roster from the last agreed set and the options of `configure`, so that no read
   * begins under the former options. Returns false if there is no roster afterwards, for example
   * because too few super validators are left.
   */
  formAgain(): boolean {
    const set = this.#agreedSet
    if (this.#roster === undefined || set === undefined) return false
    const roster = this.formed(set)
    if (this.isLargeEnough(roster))
      this.take(roster, set, { source: this.#source ?? 'seeds', ageMs: this.ageMs ?? 0 })
    else this.#roster = undefined
    return this.#roster !== undefined
  }

  #isTooOld(): boolean {
    const { file } = this.#options
    return file !== undefined && (this.ageMs ?? Number.POSITIVE_INFINITY) >= file.maxAgeMs
  }
}

/** The super validators that vote, and how many of them must agree. */
export interface RosterNow {
  /** The names of all super validators that vote, reachable or not. */
  readonly superValidators: readonly string[]
  /**
   * The party id of the DSO. Empty if `scanClient.discover` is off and `scanClient.dsoPartyId` is
   * not set.
   */
  readonly dso: string
  /** The number of super validators that must agree. A read can have a threshold of its own. */
  readonly threshold: number
  /**
   * True if f faulty super validators together cannot make up an answer
   * (quorum.md#loud-when-unprotected).
   */
  readonly protected: boolean
  /**
   * True if the answer of a single seed was enough for the first roster. If that seed is faulty, it
   * can have made up the roster.
   */
  readonly singleSeed: boolean
  /** The time since a quorum last confirmed this roster, in milliseconds. */
  readonly ageMs: number
}

export function rosterNow({ roster, status }: Pick<Discovery, 'roster' | 'status'>): RosterNow | undefined {
  if (roster === undefined) return undefined
  return {
    superValidators: roster.set.members.map(({ name }) => name).sort(byName),
    dso: roster.set.dso,
    threshold: roster.electorate().superValidators.threshold,
    protected: roster.isProtected(),
    singleSeed: status.onOneSeedsWord,
    ageMs: status.ageMs ?? 0,
  }
}
