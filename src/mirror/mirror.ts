import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { type Moment, momentOf } from '../lib/clock.ts'
import { partedWork } from '../lib/in-portions.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import type { MirroredEntry } from '../reads/mirrored-entry.ts'
import type { Question } from '../reads/read.ts'
import type { MirroredReads } from '../scan/mirrored-reads.ts'
import type { AgreedSet } from './agreed-set.ts'
import { entryOfAnswer } from './binding-answers.ts'
import { BindingsLevel } from './bindings-level.ts'
import { clockErrorMs } from './clock-error.ts'
import type { Contradicting } from './contradiction-case.ts'
import { Contradictions } from './contradictions.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { Following, Reconciliation, UpdatePage } from './following.ts'
import { LedgerTime } from './ledger-time.ts'
import { liveFinding } from './live-finding.ts'
import type { MirrorDeps, MirrorOptions } from './mirror-deps.ts'
import type { MirrorContent } from './mirror-file.ts'
import { MirrorPersistence } from './mirror-persistence.ts'
import { type MirroredName, MirroredNames, type OverlayEntry } from './mirrored-names.ts'
import { nameReads } from './name-reads.ts'
import { SetAvailability } from './set-availability.ts'
import type { StreamLevel } from './stream-level.ts'
import type { TakenSet } from './taken-set.ts'
import type { SetStop } from './withheld-in-file.ts'

/**
 * Answers questions about names without asking super validators, from a snapshot on which a quorum
 * agreed (docs/mirror.md#claims).
 * At level `stream`, the mirror also applies the updates of the ledger since that snapshot.
 */
export class Mirror implements MirroredReads, AsyncDisposable {
  readonly #options: MirrorOptions
  readonly #deps: MirrorDeps
  readonly #bindings: BindingsLevel
  readonly #contradictions: Contradictions
  readonly #availability: SetAvailability
  readonly #kept: MirrorPersistence | undefined
  #time = new LedgerTime()
  #isHandling = false

  constructor(options: MirrorOptions, deps: MirrorDeps) {
    this.#options = options
    this.#deps = deps
    const { clock, roster, file, events, keptIn } = deps
    this.#bindings = new BindingsLevel(options.lifetime)
    const availability = new SetAvailability({
      roster,
      isTimeTrusted: () => this.time.isTrusted,
      events,
      stopsChanged: () => this.#kept?.keep(),
    })
    this.#availability = availability
    this.#kept = keptIn && new MirrorPersistence(keptIn, { clock, events, content: () => this.#content() })
    this.#contradictions = new Contradictions(options.keepsQuestions, {
      clock,
      names: () => this.names,
      time: () => this.time,
      file,
      contradicted: (count) => events.contradicted(count),
    })
  }

  /** Takes over the names in the file. Call this method at most once, before any other. */
  load(): void {
    const content = this.#kept?.load()
    if (content === undefined) return
    this.#learn(content.reached)
    this.#availability.restore(content)
    if (!this.#availability.isUnreconciled) this.#deps.state?.restore(content.set)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept?.[Symbol.asyncDispose]()
  }

  get unkeptBecause(): string | null {
    return this.#kept?.unkeptBecause ?? null
  }

  get degradation(): Degradation | undefined {
    return this.#availability.degradation
  }

  get time(): LedgerTime {
    return this.#time
  }

  get set(): AgreedSet | undefined {
    return this.#taken?.set
  }

  /**
   * The record time of the mirror's names, in milliseconds since 1970: that of the last followed
   * update while level `stream` answers, and otherwise that of the snapshot.
   */
  get asOf(): number | undefined {
    return this.#followingInUse?.at ?? this.#taken?.set.at
  }

  get size(): number {
    return this.#followingInUse?.size ?? this.names?.size ?? 0
  }

  get #taken(): TakenSet | undefined {
    return this.#availability.taken
  }

  get #followingInUse(): Following | undefined {
    const { state, clock } = this.#deps
    return state?.degradation(momentOf(clock)) === undefined ? state?.following : undefined
  }

  get state(): StreamLevel | undefined {
    return this.#deps.state
  }

  get generation(): number {
    return this.#taken?.generation ?? 0
  }

  get names(): MirroredNames | undefined {
    return this.#taken?.names
  }

  /**
   * The number of contradictions of mirrored entries since the start, without those that a clock
   * error may explain.
   */
  get contradictionCount(): number {
    return this.#contradictions.contradictionCount
  }

  /**
   * The record time of the snapshot that need not be read again: milliseconds since 1970. A
   * snapshot that contradicted the followed updates counts, because another drain would give the
   * same names.
   */
  get settledAt(): number | undefined {
    return this.#availability.settledAt
  }

  answered({ asOf }: Served): void {
    if (asOf !== undefined) this.#deps.events.answered(asOf.claim)
  }

  known(question: Question): Answer | undefined {
    const { state, clock } = this.#deps
    const { name = '' } = question.params
    if (question.read.id !== lookupAnsEntryByName.id || !this.#availability.isUncontradicted) return undefined
    const row = this.names?.find(name)
    if (row === undefined && this.names?.isLeftToLiveReads(name) === true) return undefined
    const moment = momentOf(clock)
    const reach = this.time.reach(moment)
    return (
      state?.known(question, reach) ??
      this.#bindings.answer(row, { moment, reach, notBefore: undefined })?.answer
    )
  }

  find(question: Question, at?: Moment, notBefore?: number): Served | undefined {
    const { state, clock } = this.#deps
    const isByName = question.read.id === lookupAnsEntryByName.id
    if (!isByName && (state === undefined || !nameReads.includes(question.read.id))) return undefined
    if (!this.#availability.isServed) return undefined
    const name = question.params['name'] ?? ''
    if (isByName && this.#taken?.names.isLeftToLiveReads(name)) return undefined
    const moment = at ?? momentOf(clock)
    // With a slow clock, the names may be of a time after the present that this caller means.
    if (notBefore !== undefined && notBefore >= moment.wall) return undefined
    const time = { moment, reach: this.time.reach(moment), notBefore }
    return (
      state?.find(question, { ...time, generation: this.generation }) ??
      (isByName ? this.#bindings.answer(this.#taken?.names.find(name), time) : undefined)
    )
  }

  agreed(question: Question, answer: Answer): void {
    const { read, params } = question
    if (!nameReads.includes(read.id)) return
    const moment = momentOf(this.#deps.clock)
    const reach = this.time.reach(moment)
    this.#deps.state?.heard(question, answer, reach)
    if (read.id !== lookupAnsEntryByName.id || this.#taken === undefined || !this.isAgreed()) return
    const { names } = this.#taken
    const name = params['name'] ?? ''
    if (!isBindable(name) || names.isLeftToLiveReads(name)) return
    const entry = entryOfAnswer(answer)
    const found = liveFinding(names.find(name), entry, reach.reached)
    if (found?.kind === 'contradiction') {
      const by = { entry, agreement: answer.agreement }
      this.contradicted(found.row, by, 'a live read contradicts the mirror')
    }
    if (found?.kind !== 'entry') return
    // A daemon whose clock is this far behind the ledger does not know when the quorum agreed.
    if (reach.reached - moment.wall > clockErrorMs) return
    this.#add({ entry: found.entry, agreedAt: reach.reached, agreement: answer.agreement })
  }

  /**
   * Handles a contradiction of a mirrored entry. Until the mirror takes a later snapshot, only reads
   * that ask super validators answer the name.
   * @param rule says why evidence is filed: a sentence without its full stop, such as
   * `a spot check contradicts the mirror`.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    this.#contradictions.contradicted(row, by, rule)
    this.#kept?.keep()
  }

  endsSoon(row: MirroredName): boolean {
    return this.#contradictions.endsSoon(row)
  }

  stop(why: SetStop): void {
    this.#availability.stop(why)
  }

  /**
   * Handles an agreed set that lacks too many unexpired entries of the present set. The mirror
   * answers nothing until it takes another set.
   */
  refuse(withdrawn: readonly MirroredEntry[], agreement: Agreement): void {
    this.#contradictions.missing(withdrawn, agreement)
    this.stop({ kind: 'withdrawn', names: withdrawn.length })
  }

  /**
   * Returns true if all super validators that agreed on the set are still in the roster and meet
   * its threshold for a lookup by name. The roster must be of the same DSO.
   */
  isAgreed(): boolean {
    return this.#availability.isAgreed()
  }

  /**
   * Compares a drained set with the followed names. Call this method before `take`, which may
   * replace the followed names by the drained set.
   */
  *reconcile(set: AgreedSet): Generator<void, Reconciliation> {
    const { state } = this.#deps
    return state === undefined || !this.isAgreed() ? { kind: 'skipped' } : yield* state.reconcile(set)
  }

  unreconciled(at: number): void {
    this.#deps.state?.end(sentenceOf({ kind: 'unreconciled' }))
    this.#availability.unreconciled(at)
  }

  /**
   * Does work on a set of names in several turns of the event loop. The mirror answers meanwhile, and
   * leaves pages of updates to the next poll.
   */
  async handling<Result>(work: Generator<void, Result>): Promise<Result> {
    this.#isHandling = true
    try {
      return await partedWork(work)
    } finally {
      this.#isHandling = false
    }
  }

  follow(page: UpdatePage): void {
    if (this.#isHandling) return
    const at = this.#deps.state?.follow(page)
    if (at !== undefined) this.#learn(Date.parse(at))
  }

  /**
   * Handles the time that the ledger has surely reached: milliseconds since 1970. The mirror answers
   * nothing before the first one, because a name may have expired (but see `trustClock`).
   * @param asked the moment before scans were asked for it; `heard` after they replied.
   */
  learnHead(reached: number, asked: Moment, heard: Moment): void {
    this.time.learnHead(reached, asked, heard)
    this.#deps.state?.learnHead(reached)
    this.#availability.timeTrusted()
  }

  /** Handles scans that have not said for a while how late the ledger is. */
  trustClock(): void {
    this.time.trustClock(momentOf(this.#deps.clock))
    this.#availability.timeTrusted()
  }

  /**
   * While this release does not know the ledger's name-service package, the mirror answers nothing.
   * @param why a sentence about the unknown version; undefined if the version is known.
   */
  judgePackage(why: string | undefined): void {
    this.#availability.judgePackage(why)
  }

  /**
   * Makes `set` the mirror's set of names.
   * @param withdrawn the unexpired entries that `set` lacks. Their names may have other owners, so
   * only reads that ask super validators answer them.
   * @returns `older` if the present set has the same DSO and is later, or `too-many-entries`. In
   * both cases the mirror keeps its present set.
   */
  *take(
    set: AgreedSet,
    withdrawn: readonly MirroredEntry[] = [],
  ): Generator<void, 'taken' | 'older' | 'too-many-entries'> {
    const isOther = this.#taken !== undefined && this.#taken.set.dso !== set.dso
    const former = isOther ? undefined : this.#taken
    if (former !== undefined && set.at < former.set.at) return 'older'
    if (set.entries.length > this.#options.maxEntries) {
      this.stop({ kind: 'entries', most: this.#options.maxEntries })
      return 'too-many-entries'
    }
    const generation = this.generation + 1
    const names = yield* MirroredNames.of(set, generation)
    const follow = this.#deps.state && (yield* this.#deps.state.take(set))
    // Another DSO has another ledger, so the time that the former ledger reached does not apply.
    if (isOther) this.#time = new LedgerTime()
    this.#learn(set.at)
    if (former !== undefined) this.#contradictions.missing(withdrawn, set.agreement)
    const since = former?.names.since(set.at)
    follow?.()
    const { overlay = [], live = [] } = since ?? {}
    this.#availability.take({ set, generation, overlay, live }, names)
    this.#deps.events.taken(set, generation)
    this.#kept?.keep()
    return 'taken'
  }

  #content(): MirrorContent | undefined {
    const content = this.#availability.content()
    return content && { ...content, reached: this.#deps.state?.following?.at ?? content.set.at }
  }

  #learn(at: number): void {
    this.time.learn(at, momentOf(this.#deps.clock))
  }

  #add(entry: OverlayEntry): void {
    const { names } = this.#taken as TakenSet
    if (names.size + names.overlaySize >= this.#options.maxEntries) return
    names.add(entry)
  }
}
