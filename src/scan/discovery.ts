import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import type { InquiryOptions } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import { placeOf } from './origin.ts'
import { canonicalOf, isDrastic, Roster, type RosterSet, type RosterVoter, type Trust } from './roster.ts'
import { type RosterFileOptions, readRosterFile, writeRosterFile } from './roster-file.ts'
import { caseOf, describe, type PollOutcome, pollForRoster, type RosterPoll } from './roster-poll.ts'

export interface DiscoveryOptions {
  /** The base URLs of the seeds. */
  readonly seeds: readonly string[]
  /** If false, the seeds are the roster. */
  readonly discover: boolean
  /** For `bft-custom`: the super validators to trust, even if they are not published. */
  readonly svNames: readonly string[]
  readonly dsoPartyId: string | undefined
  readonly minimumVoters: number
  readonly refreshIntervalMs: number
  readonly trust: Trust
  readonly inquiry: InquiryOptions
  readonly file: RosterFileOptions | undefined
}

/** The origin of the current roster. */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

export interface DiscoveryEvents {
  /** A seed or a member answered the question for the roster, or failed to. */
  heard(name: string, outcome: PollOutcome, seconds: number): void
  seedAnswered(seed: string, answer: string): void
  taken(roster: Roster, source: RosterSource, ageMs: number, onOneSeedsWord: boolean): void
  refreshed(outcome: 'same' | 'changed' | 'held' | 'failed', why: string): void
}

export interface DiscoveryDeps {
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly judge: JudgeThread
  readonly evidence: EvidenceLog
  readonly events: DiscoveryEvents
}

/** The state of discovery itself. */
export interface DiscoveryStatus {
  readonly source: RosterSource | undefined
  /** Milliseconds since a quorum last confirmed this set; undefined without a roster. */
  readonly ageMs: number | undefined
  readonly onOneSeedsWord: boolean
  /** Why there is no roster yet; undefined once there is one. */
  readonly waitingFor: string | undefined
}

const firstRetryMs = 500
const longestRetryMs = 30_000

/**
 * Maintains the roster. At the start f+1 of the configured seeds must agree on it, then its own members must
 * confirm it. The members also decide about every later refresh (quorum.md#the-first-roster).
 */
export class Discovery implements AsyncDisposable {
  readonly #options: DiscoveryOptions
  readonly #deps: DiscoveryDeps
  /** The configured seeds, with threshold f+1. */
  readonly #seeds: Electorate
  readonly #closing = new AbortController()
  #roster: Roster | undefined
  #source: RosterSource | undefined
  #agreedAt: number | undefined
  #why = 'the seeds are being asked'
  /**
   * The drastic change of the last refresh. The daemon adopts it if the next refresh returns the same set.
   */
  #held: string | undefined
  #confirmed = false
  #failures = 0
  #cancelNext: (() => void) | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: DiscoveryOptions, deps: DiscoveryDeps) {
    this.#options = options
    this.#deps = deps
    this.#seeds = seedElectorate(options)
  }

  /** The roster in force. A roster from the file counts until it is too old or the seeds replace it. */
  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get status(): DiscoveryStatus {
    return {
      source: this.#source,
      ageMs: this.#agreedAt === undefined ? undefined : this.#deps.clock.now() - this.#agreedAt,
      onOneSeedsWord:
        this.#confirmed && this.#options.discover && this.#seeds.superValidators.threshold === 1,
      waitingFor: this.roster === undefined ? this.#why : undefined,
    }
  }

  #isTooOld(): boolean {
    const { file } = this.#options
    return file !== undefined && this.#deps.clock.now() - (this.#agreedAt ?? 0) >= file.maxAgeMs
  }

  /**
   * Resolves with a roster, or after the first failed attempt. Later attempts start on their own schedule.
   */
  async start(): Promise<void> {
    if (!this.#options.discover) return this.#takeSeedsAsRoster()
    await this.#takeKept()
    const first = this.#round()
    if (this.#roster === undefined) await first
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancelNext?.()
    this.#closing.abort()
    await this.#running
  }

  #takeSeedsAsRoster(): void {
    const members = this.#options.seeds.map((seed) => ({ name: placeOf(seed)?.host ?? seed, urls: [seed] }))
    const set = { dso: this.#options.dsoPartyId ?? '', synchronizer: '', members }
    this.#confirmed = true
    this.#take(new Roster(set, this.#options.trust), 'configuration', 0)
  }

  async #takeKept(): Promise<void> {
    const { file, trust, minimumVoters } = this.#options
    if (file === undefined) return
    const { clock, events } = this.#deps
    const kept = await readRosterFile(file, clock.wall())
    if (kept.kind === 'unusable') return events.refreshed('failed', `${file.path} is not used: ${kept.why}`)
    const roster = new Roster(this.#trusted(kept.set), trust)
    if (roster.size >= minimumVoters) this.#take(roster, 'file', clock.wall() - kept.agreedAt)
  }

  #round(): Promise<void> {
    this.#running = this.#attempt().then(
      (done) => this.#scheduleNext(done),
      () => {
        // The promise rejects only if the daemon aborts it while closing.
      },
    )
    return this.#running
  }

  /**
   * Asks for the roster once. Resolves with whether a quorum agreed: the next round is then one interval
   * away.
   */
  #attempt(): Promise<boolean> {
    return this.#confirmed && this.#roster !== undefined ? this.#refresh(this.#roster) : this.#bootstrap()
  }

  #scheduleNext(done: boolean): void {
    if (this.#closing.signal.aborted) return
    const { clock, random } = this.#deps
    const { refreshIntervalMs } = this.#options
    this.#failures = done ? 0 : this.#failures + 1
    const retryMs = Math.min(
      longestRetryMs,
      refreshIntervalMs,
      firstRetryMs * 2 ** Math.min(this.#failures - 1, 10),
    )
    const afterMs = done ? refreshIntervalMs * (0.9 + 0.2 * random()) : retryMs * (0.5 + random() / 2)
    this.#cancelNext = clock.after(afterMs, () => void this.#round())
  }

  async #bootstrap(): Promise<boolean> {
    const electorate = this.#seeds
    this.#deps.connections.retain(this.#wantedUrls())
    const poll = await this.#poll(electorate, false, (set) => this.#warm(set))
    const { set } = poll
    if (set === undefined) {
      this.#tellSeeds(electorate, poll)
      this.#why = `no ${electorate.superValidators.threshold} of ${electorate.superValidators.n} seeds name the same super validators`
      this.#keepEvidence(electorate, poll)
      return this.#fail(this.#why)
    }
    const roster = new Roster(this.#trusted(set), this.#options.trust)
    if (roster.size < this.#options.minimumVoters) {
      this.#why = `it has ${roster.size} super validators, and ${this.#options.minimumVoters} are the least`
      return this.#fail(this.#why)
    }
    return this.#confirm(roster, set)
  }

  /** Asks the members that the seeds agreed on. Resolves with whether they confirm the same set. */
  async #confirm(roster: Roster, set: RosterSet): Promise<boolean> {
    const electorate = ofItself(roster)
    const poll = await this.#poll(electorate, false)
    if (poll.set === undefined || canonicalOf(poll.set) !== canonicalOf(set)) {
      this.#why = 'the super validators that the seeds name do not agree on themselves'
      this.#keepEvidence(electorate, poll)
      return this.#fail(this.#why)
    }
    this.#confirmed = true
    this.#take(roster, 'seeds', 0)
    await this.#keep(set)
    return true
  }

  async #refresh(current: Roster): Promise<boolean> {
    const electorate = ofItself(current)
    const poll = await this.#poll(electorate, true)
    const { set } = poll
    if (set === undefined || set.dso !== current.set.dso) {
      this.#keepEvidence(electorate, poll)
      return this.#fail(
        set === undefined ? 'the super validators do not agree on who they are' : 'the DSO is another one',
      )
    }
    return this.#adopt(current, set)
  }

  async #adopt(current: Roster, set: RosterSet): Promise<boolean> {
    const roster = new Roster(this.#trusted(set), this.#options.trust)
    if (roster.size < this.#options.minimumVoters)
      return this.#fail('the new roster has too few super validators')
    if (canonicalOf(roster.set) === canonicalOf(current.set)) {
      this.#held = undefined
      this.#agreedAt = this.#deps.clock.now()
      this.#source = 'refresh'
      this.#deps.events.refreshed('same', '')
      await this.#keep(set)
      return true
    }
    if (isDrastic(current.set, roster.set) && this.#held !== canonicalOf(roster.set)) {
      this.#held = canonicalOf(roster.set)
      this.#deps.events.refreshed(
        'held',
        'so much of the roster changed that a second refresh has to say the same',
      )
      return true
    }
    this.#held = undefined
    this.#deps.events.refreshed('changed', '')
    this.#take(roster, 'refresh', 0)
    await this.#keep(set)
    return true
  }

  #poll(electorate: Electorate, patient: boolean, first?: (set: RosterSet) => void): Promise<RosterPoll> {
    const { inquiry, dsoPartyId } = this.#options
    const { signal } = this.#closing
    const heard = ({ names }: RosterVoter, outcome: PollOutcome, seconds: number) =>
      this.#deps.events.heard(names[0] as string, outcome, seconds)
    return pollForRoster({ electorate, patient, first, dsoPartyId, inquiry, signal, heard }, this.#deps)
  }

  /** Returns the URLs of the seeds and of the current roster. Connections to all other scans are closed. */
  #wantedUrls(): readonly string[] {
    const voters = [...(this.#seeds.voters as readonly RosterVoter[]), ...(this.#roster?.voters ?? [])]
    return voters.flatMap(({ place }) => (place === undefined ? [] : [place.url]))
  }

  #fail(why: string): false {
    this.#held = undefined
    this.#deps.events.refreshed('failed', why)
    return false
  }

  #take(roster: Roster, source: RosterSource, ageMs: number): void {
    this.#roster = roster
    this.#source = source
    this.#agreedAt = this.#deps.clock.now() - ageMs
    this.#deps.connections.keep(roster)
    this.#deps.evidence.setRoster(roster.set.members.map(({ name }) => name))
    this.#deps.events.taken(roster, source, ageMs, this.status.onOneSeedsWord)
  }

  /** For `bft-custom`: keeps only the named super validators, and adds unpublished ones without a URL. */
  #trusted(set: RosterSet): RosterSet {
    const { trust, svNames } = this.#options
    if (trust.mode !== 'bft-custom') return set
    const members = svNames.map((name) => ({
      name,
      urls: set.members.find((member) => member.name === name)?.urls ?? [],
    }))
    return { ...set, members }
  }

  #warm({ members }: RosterSet): void {
    for (const { urls } of members) {
      const place = urls.map(placeOf).find((candidate) => candidate !== undefined)
      if (place !== undefined) this.#deps.connections.to(place.url).node.warm()
    }
  }

  async #keep(set: RosterSet): Promise<void> {
    const { file } = this.#options
    if (file === undefined) return
    try {
      await writeRosterFile(file, set, this.#deps.clock.wall())
    } catch (error) {
      this.#deps.events.refreshed('failed', `${file.path} cannot be written: ${String(error)}`)
    }
  }

  #tellSeeds(electorate: Electorate, poll: RosterPoll): void {
    electorate.voters.forEach(({ names }, voter) => {
      for (const name of names)
        this.#deps.events.seedAnswered(name, describe(poll.plan.heard[voter], poll.sets))
    })
  }

  #keepEvidence(electorate: Electorate, poll: RosterPoll): void {
    this.#deps.evidence.add(caseOf(electorate, poll, this.#deps.clock.wall()))
  }
}

/**
 * The roster decides about its own successor. If its threshold exceeds its size, no read can succeed; a
 * refresh then needs all its voters, so that the roster can still grow.
 */
function ofItself(roster: Roster): Electorate {
  const electorate = roster.electorate()
  const { superValidators, voters } = electorate
  if (superValidators.threshold <= superValidators.n) return electorate
  return { ...electorate, superValidators: { ...superValidators, threshold: voters.length } }
}

function seedElectorate({ seeds, trust }: DiscoveryOptions): Electorate {
  const members = seeds.map((seed) => ({ name: placeOf(seed)?.host ?? seed, urls: [seed] }))
  const seedTrust: Trust = { ...trust, threshold: 'f+1', thresholds: {} }
  return new Roster({ dso: '', synchronizer: '', members }, seedTrust).electorate()
}
