import { isDeepStrictEqual } from 'node:util'
import type { Config } from '../../base/config/resolve.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import { byName } from '../../base/lib/by-name.ts'
import { ageMs, type Clock, type Moment, momentBefore, momentOf } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import type { Events } from '../../base/telemetry/events.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import type { JudgeThread } from './judge-thread.ts'
import { canonicalOf, isDrastic, type Membership } from './membership.ts'
import { placeOf } from './origin.ts'
import {
  operatorName,
  placesOf,
  Roster,
  type RosterVoter,
  rosterDecidingElectorate,
  rosterOfSeeds,
  seedElectorate,
} from './roster.ts'
import { keepMembership, keptMembership } from './roster-file.ts'
import {
  disagreementIn,
  pollForRoster,
  type RosterAnswer,
  type RosterPoll,
  whyNotAgreed,
  whyNotConfirmed,
} from './roster-poll.ts'
import { countOutcomes, type SeedState } from './seed-outcome.ts'

const firstRetryMs = 500
const longestRetryMs = 30_000

const mostWarmed = 16

export const retryAfterSeconds = 2

type RosterOptions = Pick<Config, 'network' | 'scanClient'>

export interface DiscoveryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly events: Pick<
    Events,
    | 'reachabilityChanged'
    | 'rosterFileFailed'
    | 'rosterMissing'
    | 'rosterRefreshed'
    | 'rosterTaken'
    | 'scanAsked'
    | 'seedAnswered'
  >
}

interface InForce {
  readonly roster: Roster
  /** All members that the network publishes, of which `roster` has those that are trusted. */
  readonly published: Membership
  /**
   * - `seeds`: the seeds agreed on it, and its members confirmed it.
   * - `refresh`: its own members agreed on it.
   * - `file`: it is from the roster file.
   * - `configuration`: it consists of the configured seeds.
   */
  readonly source: 'seeds' | 'refresh' | 'file' | 'configuration'
  readonly agreedAt: Moment
}

export interface DiscoveryStatus {
  readonly source: InForce['source'] | undefined
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
  #options: RosterOptions
  readonly #deps: DiscoveryDeps
  #inForce: InForce | undefined
  /** Whether the members of the roster in force decide about the next one. Otherwise the seeds do. */
  #isConfirmed = false
  #why = 'the seeds are being asked'
  /**
   * The canonical JSON of a membership that differs drastically from the current one
   * (`isDrastic`). The daemon adopts it only if the next refresh returns it again.
   */
  #drasticOnce: string | undefined
  /** By origin. */
  readonly #seedStates = new Map<string, Omit<SeedState, 'url'>>()
  /**
   * Aborts the attempts to agree on a roster. `reload` replaces the controller, so that no attempt
   * continues under the former options.
   */
  #life = new AbortController()
  #running: Promise<void> = Promise.resolve()
  #failures = 0
  #cancelNext = () => {}

  constructor(options: RosterOptions, deps: DiscoveryDeps) {
    this.#options = options
    this.#deps = deps
    deps.connections.watchReachability(() => this.tellReachability())
  }

  get roster(): Roster | undefined {
    return this.#inForce?.source === 'file' && this.#isTooOld() ? undefined : this.#inForce?.roster
  }

  get status(): DiscoveryStatus {
    return {
      source: this.#inForce?.source,
      ageMs: this.#ageMs,
      onOneSeedsWord: this.#isOnOneSeedsWord(),
      waitingFor: this.roster === undefined ? this.#why : undefined,
      seeds: this.#scanClient.seedUrls.map((url) => {
        const state = this.#seedStates.get(placeOf(url)?.origin ?? '')
        return { url, ...(state ?? { outcome: 'not-asked-yet', detail: '', at: null }) }
      }),
    }
  }

  /** True if as many super validators can be reached as the threshold needs. */
  isQuorumReachable(): boolean {
    if (this.roster === undefined) return false
    const { superValidators, operators } = this.#deps.connections.reachability(this.roster)
    return [superValidators, operators ?? superValidators].every(
      ({ reachable, threshold }) => reachable >= threshold,
    )
  }

  tellReachability(): void {
    const { roster } = this
    const { connections, events } = this.#deps
    if (roster !== undefined) events.reachabilityChanged(connections.reachability(roster))
  }

  /**
   * Resolves when there is a roster, or when the first attempt has failed. Further attempts follow
   * by themselves.
   */
  async start(): Promise<void> {
    if (!isDiscovering(this.#scanClient)) return this.#takeSeeds()
    const kept = keptMembership(this.#options, this.#deps)
    if (kept !== undefined) {
      const roster = new Roster(kept.membership, this.#scanClient)
      if (this.#isLargeEnough(roster)) this.#take(roster, kept.membership, 'file', kept.ageMs)
    }
    const first = this.#attempt()
    if (this.roster === undefined) await first
  }

  /**
   * Returns a sentence for each threshold that the new options would put above the roster's number
   * of votes, and for a least number of super validators that the roster would not reach. Thresholds
   * that are already too high are left out.
   */
  newProblems({ scanClient }: RosterOptions): readonly string[] {
    const { roster } = this
    const { seedUrls } = this.#scanClient
    if (roster === undefined || !isDiscovering(scanClient)) return []
    if (this.#inForce === undefined || !isDeepStrictEqual(scanClient.seedUrls, seedUrls)) return []
    const next = new Roster(this.#inForce.published, scanClient)
    const now = roster.outOfReach()
    const tooHigh = [...next.outOfReach()].flatMap(([option, sentence]) =>
      now.has(option) ? [] : [sentence],
    )
    const { minimumVoters } = scanClient
    if (next.size >= minimumVoters) return tooHigh
    return [
      ...tooHigh,
      `scanClient.minimumVoters must be at most the number of super validators in the roster, ${next.size}, not ${minimumVoters}`,
    ]
  }

  /**
   * Applies new options. The daemon rebuilds the current roster at once, so that no read begins
   * under the former thresholds; reads in progress end under the roster with which they began. If
   * the seeds changed, the super validators of the former roster vote until the new seeds agree on
   * a roster.
   */
  reload(options: RosterOptions): void {
    const { seedUrls, svNames, minimumVoters, threshold, thresholds, operators } = options.scanClient
    const former = this.#scanClient
    const scanClient = { ...former, seedUrls, svNames, minimumVoters, threshold, thresholds, operators }
    if (isDeepStrictEqual(scanClient, former)) return
    this.#options = { ...this.#options, scanClient }
    const origins = new Set(seedUrls.map((url) => placeOf(url)?.origin))
    for (const origin of this.#seedStates.keys()) if (!origins.has(origin)) this.#seedStates.delete(origin)
    this.#cancelNext()
    this.#failures = 0
    this.#life.abort()
    this.#life = new AbortController()
    this.#drasticOnce = undefined
    if (!isDiscovering(scanClient)) return this.#takeSeeds()
    this.#formAgain()
    const areSeedsNew = !isDeepStrictEqual(seedUrls, former.seedUrls)
    if (this.#inForce === undefined || areSeedsNew) this.#isConfirmed = false
    const before = this.#running
    this.#running = Promise.all([before, this.#attempt()]).then(() => {})
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelNext()
    this.#life.abort()
    await this.#running
  }

  get #scanClient(): Config['scanClient'] {
    return this.#options.scanClient
  }

  get #ageMs(): number | undefined {
    return this.#inForce && ageMs(this.#inForce.agreedAt, momentOf(this.#deps.clock))
  }

  #isTooOld(): boolean {
    return (this.#ageMs as number) >= this.#scanClient.rosterMaxAgeMs
  }

  #isLargeEnough({ size }: Roster): boolean {
    return size >= this.#scanClient.minimumVoters
  }

  #isOnOneSeedsWord(): boolean {
    if (!this.#isConfirmed || !isDiscovering(this.#scanClient)) return false
    return this.#seeds().superValidators.threshold === 1
  }

  #seeds(): Electorate {
    return seedElectorate(this.#scanClient, this.#scanClient.seedUrls)
  }

  #takeSeeds(): void {
    const roster = rosterOfSeeds(this.#scanClient, this.#scanClient.seedUrls)
    this.#isConfirmed = true
    this.#take(roster, roster.membership, 'configuration')
  }

  #take(roster: Roster, published: Membership, source: InForce['source'], agoMs = 0): void {
    const { clock, connections, evidence, events } = this.#deps
    const { network, scanClient } = this.#options
    const { dso, members } = roster.membership
    this.#inForce = { roster, published, source, agreedAt: momentBefore(momentOf(clock), agoMs) }
    connections.keep(roster)
    evidence.setRoster(members.map(({ name }) => name))
    const isUnpinned = network === 'remote' && scanClient.dsoPartyId === undefined && scanClient.discover
    events.rosterTaken({
      ...connections.reachability(roster),
      members: roster.voters.flatMap((voter) =>
        voter.names.map((name) => ({ name, operator: operatorName(voter) })),
      ),
      protected: roster.isProtected(),
      unmatchedOperators: roster.unmatchedOperators,
      unsafeThresholds: roster.unsafeThresholds(),
      singleSeed: this.#isOnOneSeedsWord(),
      ageMs: agoMs,
      ...(isUnpinned && { unpinnedDso: dso }),
    })
  }

  /**
   * Rebuilds the roster from the published members and new options. No roster is left if too few
   * super validators are.
   */
  #formAgain(): void {
    if (this.#inForce === undefined) return
    const { published, source } = this.#inForce
    const roster = new Roster(published, this.#scanClient)
    if (this.#isLargeEnough(roster)) this.#take(roster, published, source, this.#ageMs)
    else this.#inForce = undefined
  }

  #attempt(): Promise<void> {
    const { signal } = this.#life
    const { roster } = this
    const attempt = this.#isConfirmed && roster !== undefined ? this.#refresh(roster) : this.#bootstrap()
    this.#running = attempt.then(
      (done) => {
        if (!signal.aborted) this.#schedule(done)
      },
      (error: unknown) => {
        // New options abort an attempt and begin another one. Otherwise only a defect gets here.
        if (!signal.aborted) this.#schedule(this.#failed(`an unforeseen error: ${error}`))
      },
    )
    return this.#running
  }

  /** Schedules the next attempt: after the interval, or sooner if the last attempt failed. */
  #schedule(done: boolean): void {
    const { clock, random } = this.#deps
    const { refreshIntervalMs } = this.#scanClient
    this.#failures = done ? 0 : this.#failures + 1
    const backoffMs = firstRetryMs * 2 ** Math.min(this.#failures - 1, 10)
    const retryMs = Math.min(longestRetryMs, refreshIntervalMs, backoffMs)
    const afterMs = done ? refreshIntervalMs * (0.9 + 0.2 * random()) : retryMs * (0.5 + random() / 2)
    this.#cancelNext = clock.after(afterMs, () => void this.#attempt())
  }

  /** Returns whether the seeds agree on a roster, and the members of that roster confirm it. */
  async #bootstrap(): Promise<boolean> {
    const { clock, connections, events } = this.#deps
    const seeds = this.#seeds()
    const voters = [...(seeds.voters as readonly RosterVoter[]), ...(this.roster?.voters ?? [])]
    connections.retain(voters.flatMap(placesOf).map(({ url }) => url))
    let isWarm = false
    const poll = await this.#poll(seeds, false, (voter, answer) => {
      const { outcome, detail } = answer.result
      for (const name of voter.names) events.seedAnswered(name, outcome, detail)
      const at = new Date(clock.wall()).toISOString()
      this.#seedStates.set(voter.place?.origin ?? '', { ...answer.result, at })
      if (answer.membership !== undefined && !isWarm) this.#warm(answer.membership)
      isWarm ||= answer.membership !== undefined
    })
    if (poll.membership === undefined) {
      this.#keepDisagreement(poll)
      return this.#notBegun(whyNotAgreed(poll, 'seeds'), poll)
    }
    const roster = new Roster(poll.membership, this.#scanClient)
    if (!this.#isLargeEnough(roster)) {
      const { minimumVoters } = this.#scanClient
      return this.#notBegun(
        `it has ${roster.size} super validators, and ${minimumVoters} are the least`,
        poll,
      )
    }
    return this.#confirm(roster, poll.membership)
  }

  async #confirm(roster: Roster, published: Membership): Promise<boolean> {
    const poll = await this.#poll(rosterDecidingElectorate(roster), false)
    if (poll.membership === undefined || canonicalOf(poll.membership) !== canonicalOf(published)) {
      this.#keepDisagreement(poll, published)
      return this.#notBegun(whyNotConfirmed(poll, published), poll)
    }
    this.#isConfirmed = true
    this.#take(roster, published, 'seeds')
    await keepMembership(this.#options, published, this.#deps)
    return true
  }

  /** Returns whether the members of the current roster agree on the next one. */
  async #refresh(current: Roster): Promise<boolean> {
    const { clock, events } = this.#deps
    const poll = await this.#poll(rosterDecidingElectorate(current), true)
    const published = poll.membership
    if (published === undefined || published.dso !== current.membership.dso) {
      this.#keepDisagreement(poll, published && current.membership)
      return this.#failed(published === undefined ? whyNotAgreed(poll, 'members') : 'the DSO is another one')
    }
    const roster = new Roster(published, this.#scanClient)
    if (!this.#isLargeEnough(roster)) return this.#failed('the new roster has too few super validators')
    const next = canonicalOf(roster.membership)
    if (next === canonicalOf(current.membership)) {
      this.#inForce = { roster: current, published, source: 'refresh', agreedAt: momentOf(clock) }
      events.rosterRefreshed('same', '')
    } else if (isDrastic(current.membership, roster.membership) && this.#drasticOnce !== next) {
      this.#drasticOnce = next
      const why = 'so much of the roster changed that a second refresh has to say the same'
      events.rosterRefreshed('held', why)
      return true
    } else {
      events.rosterRefreshed('changed', '')
      this.#take(roster, published, 'refresh')
    }
    this.#drasticOnce = undefined
    await keepMembership(this.#options, published, this.#deps)
    return true
  }

  #poll(
    electorate: Electorate,
    patient: boolean,
    answered?: (voter: RosterVoter, answer: RosterAnswer) => void,
  ): Promise<RosterPoll> {
    const conduct = { patient, signal: this.#life.signal, ...(answered && { answered }) }
    return pollForRoster(electorate, conduct, this.#scanClient, this.#deps)
  }

  #keepDisagreement(poll: RosterPoll, expected?: Membership): void {
    const { clock, evidence } = this.#deps
    const found = disagreementIn(poll, clock.wall(), expected)
    if (found !== undefined) evidence.add(found)
  }

  #notBegun(why: string, { answers }: RosterPoll): false {
    this.#why = why
    if (this.roster !== undefined) return this.#failed(why)
    this.#deps.events.rosterMissing(why, countOutcomes(answers.map(({ result }) => result)))
    return false
  }

  #failed(why: string): false {
    this.#drasticOnce = undefined
    this.#deps.events.rosterRefreshed('failed', why)
    return false
  }

  /** Nothing is agreed yet, so a false list must not lead to many addresses of its choice. */
  #warm({ members }: Membership): void {
    const seeds = new Set(this.#scanClient.seedUrls.map((url) => placeOf(url)?.origin))
    const places = members.flatMap(({ urls }) => urls.map(placeOf).find((place) => place !== undefined) ?? [])
    const inOrder = places.toSorted((a, b) => Number(seeds.has(b.origin)) - Number(seeds.has(a.origin)))
    for (const { url } of inOrder.slice(0, mostWarmed)) this.#deps.connections.to(url).node.warm()
  }
}

/** False if the configured seeds are the roster. */
export function isDiscovering({
  discover,
  scanType,
}: Pick<Config['scanClient'], 'discover' | 'scanType'>): boolean {
  return discover && scanType !== 'trust-single'
}

/** @throws SpliceError `noRosterYet` if there is no roster. */
export function requiredRoster(discovery: Pick<Discovery, 'roster' | 'status'>): Roster {
  if (discovery.roster !== undefined) return discovery.roster
  const why = discovery.status.waitingFor ?? ''
  throw new SpliceError('noRosterYet', { why }, { retryAfter: retryAfterSeconds })
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
  const { dso, members } = roster.membership
  return {
    superValidators: members.map(({ name }) => name).sort(byName),
    dso,
    threshold: roster.electorate().superValidators.threshold,
    protected: roster.isProtected(),
    singleSeed: status.onOneSeedsWord,
    ageMs: status.ageMs ?? 0,
  }
}
