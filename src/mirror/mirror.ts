import { type Moment, momentOf } from '../base/lib/clock.ts'
import { partedWork, wholeWork } from '../base/lib/in-portions.ts'
import type { Random } from '../base/lib/random.ts'
import type { Agreement } from '../core/cache/agreement.ts'
import type { Answer } from '../core/cache/answer.ts'
import type { Served } from '../core/cache/answers.ts'
import type { AsOf } from '../core/cache/as-of.ts'
import { lookupAnsEntryByName } from '../core/reads/ans.ts'
import type { Question } from '../core/reads/read.ts'
import type { MirroredReads } from '../core/scan/mirrored-reads.ts'
import type { AgreedSet } from './agreed-set.ts'
import { compareEntries } from './continuity.ts'
import { type Contradicting, contradictionCase } from './contradictions.ts'
import { sentenceOf } from './degradation.ts'
import { LedgerNames, type Reconciliation, type UpdatePage } from './ledger-names.ts'
import { clockErrorMs, type LedgerReach, LedgerTime } from './ledger-time.ts'
import type { MirrorDeps, MirrorOptions } from './mirror-deps.ts'
import { MirrorPersistence } from './mirror-persistence.ts'
import type { MirroredEntry } from './mirrored-contracts.ts'
import { entryOfAnswer, heldOf, isBindable, NameAnswers, nameReads } from './name-state.ts'
import { SetAvailability } from './set-availability.ts'
import type { StreamLevel } from './stream-level.ts'
import { type Binding, TakenSet } from './taken-set.ts'

type FoundAnswer = Required<Pick<Served, 'answer'>> & { readonly asOf: AsOf }

const nothingLive = { overlay: [], live: [] } as const

/**
 * Answers questions about names without asking super validators, from a snapshot on which a quorum
 * agreed (docs/mirror.md#claims).
 * At level `stream`, the mirror also applies the updates of the ledger since that snapshot.
 */
export class Mirror extends SetAvailability implements MirroredReads, AsyncDisposable {
  readonly #options: MirrorOptions
  readonly #deps: MirrorDeps
  readonly #answers = new NameAnswers()
  readonly #kept: MirrorPersistence | undefined
  #time = new LedgerTime()
  #isHandling = false
  #contradictionCount = 0

  constructor(options: MirrorOptions, deps: MirrorDeps) {
    super(deps)
    this.#options = options
    this.#deps = deps
    const { keptIn } = deps
    this.#kept = keptIn && new MirrorPersistence(keptIn, { ...deps, content: () => this.content() })
  }

  protected override keep(): void {
    this.#kept?.keep()
  }

  /** Takes over the names in the file. Call this method at most once, before any other. */
  load(): void {
    const content = this.#kept?.load()
    if (content === undefined) return
    const { set, generation, reached, withheld } = content
    this.#learn(reached)
    const names = wholeWork(LedgerNames.of(set))
    const taken = new TakenSet(names, generation, { ...nothingLive, live: withheld.live })
    this.restore(withheld, taken)
    if (this.unreconciledAt === undefined) this.state?.restore(names)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#kept?.[Symbol.asyncDispose]()
  }

  get unkeptBecause(): string | null {
    return this.#kept?.unkeptBecause ?? null
  }

  override get time(): LedgerTime {
    return this.#time
  }

  get set(): AgreedSet | undefined {
    return this.taken?.set
  }

  get generation(): number {
    return this.taken?.generation ?? 0
  }

  /**
   * The record time of the mirror's names, in milliseconds since 1970: that of the last followed
   * update while level `stream` answers, and otherwise that of the snapshot.
   */
  get asOf(): number | undefined {
    const { state } = this
    const isFollowing = state !== undefined && state.degradation(momentOf(this.#deps.clock)) === undefined
    return isFollowing ? state.following?.at : this.set?.at
  }

  /** The record time of what the mirror serves; undefined while it serves nothing. */
  get servedAt(): number | undefined {
    return this.degradation === undefined ? this.asOf : undefined
  }

  get state(): StreamLevel | undefined {
    return this.#deps.state
  }

  /**
   * The number of contradictions of mirrored entries since the start, without those that a clock
   * error may explain.
   */
  get contradictionCount(): number {
    return this.#contradictionCount
  }

  /**
   * The record time of the snapshot that need not be read again: milliseconds since 1970. A
   * snapshot that contradicted the followed updates counts, because another drain would give the
   * same names.
   */
  get settledAt(): number | undefined {
    return this.unreconciledAt ?? (this.isAgreed() ? this.set?.at : undefined)
  }

  /**
   * Returns names that were registered or renewed last. `find` may answer only some of them: one may have
   * been contradicted since.
   */
  newest(most: number): readonly string[] {
    return (this.state?.following ?? this.taken?.names)?.index.newest(most) ?? []
  }

  answered({ asOf }: Served): void {
    if (asOf !== undefined) this.#deps.telemetry.answered(asOf.claim)
  }

  known(question: Question): Answer | undefined {
    if (question.read.id !== lookupAnsEntryByName.id || !this.isUncontradicted) return undefined
    const reach = this.time.reach(momentOf(this.#deps.clock))
    return (this.#stateOf(question, reach) ?? this.#bindingOf(question, reach))?.answer
  }

  find(question: Question, at?: Moment, notBefore = Number.NEGATIVE_INFINITY): Served | undefined {
    const { state } = this
    if (!nameReads.includes(question.read.id) || !this.isServed) return undefined
    const moment = at ?? momentOf(this.#deps.clock)
    // With a slow clock, the names may be of a time after the present that this caller means.
    if (notBefore >= moment.wall) return undefined
    const reach = this.time.reach(moment)
    const isFollowing = state !== undefined && state.degradation(moment) === undefined
    let found = isFollowing ? this.#stateOf(question, reach) : undefined
    if (found === undefined || found.asOf.at < notBefore) found = this.#bindingOf(question, reach)
    const times = this.#options.times[question.read.id]
    if (found === undefined || found.asOf.at < notBefore || times === undefined) return undefined
    const { answer, asOf } = found
    const lifetime = answer.kind === 'value' ? times.value : times.absence
    return { answer, agreedAt: moment, how: 'mirror', stored: true, lifetime, asOf }
  }

  agreed(question: Question, answer: Answer): void {
    const { read, params } = question
    if (!nameReads.includes(read.id)) return
    const { state, taken } = this
    const moment = momentOf(this.#deps.clock)
    const reach = this.time.reach(moment)
    if (state?.following !== undefined) {
      const own = this.#answerOf(state.following, question, reach)
      // `reached` never goes back, unlike the daemon's clock.
      state.heard(question, answer, own, reach.reached)
    }
    const { name = '' } = params
    if (read.id !== lookupAnsEntryByName.id || taken === undefined || !this.isAgreed()) return
    if (!isBindable(name) || taken.isLeftToLiveReads(name) || taken.names.index.held(name, reach).length > 1)
      return
    const entry = entryOfAnswer(answer)
    const binding = taken.binding(name, reach)
    if (binding !== undefined && binding.held.endsAt > reach.reached) {
      const change = entry === undefined ? 'other' : compareEntries(binding.held.entry, entry)
      // A live read may be older than the followed updates.
      if (change === 'other' && binding.asOf.basis !== 'stream')
        this.contradicted(
          binding,
          { entry, agreement: answer.agreement },
          'a live read contradicts the mirror',
        )
      if (change !== 'renewed') return
    }
    const held = entry && heldOf(entry)
    // A daemon whose clock is this far behind the ledger does not know when the quorum agreed.
    if (held === undefined || !(held.endsAt > reach.reached) || reach.reached - moment.wall > clockErrorMs)
      return
    if (taken.size < this.#options.maxEntries) taken.add(held, reach.reached, answer.agreement)
  }

  /** Returns a random entry of the snapshot that does not expire soon. Undefined if it found none. */
  draw(random: Random): Binding | undefined {
    const name = this.taken?.names.index.any(random)?.name
    const moment = momentOf(this.#deps.clock)
    const binding = name === undefined ? undefined : this.taken?.binding(name, this.time.reach(moment))
    return binding?.asOf.basis !== 'snapshot' || this.#endsSoon(binding, moment) ? undefined : binding
  }

  /**
   * Handles a contradiction of a mirrored entry. Until the mirror takes a later snapshot, only reads
   * that ask super validators answer the name. Counts the contradiction and files evidence, except if
   * a clock error may explain it: the quorum found no entry, and the mirrored entry expires within
   * `clockErrorMs`.
   * @param rule says why evidence is filed: a sentence without its full stop, such as
   * `a spot check contradicts the mirror`.
   */
  contradicted(binding: Pick<Binding, 'held' | 'agreement'>, by: Contradicting, rule: string): void {
    this.#contradict(binding, by, rule)
    this.keep()
  }

  #contradict(...[binding, by, rule]: Parameters<Mirror['contradicted']>): void {
    const { clock, file, telemetry } = this.#deps
    const moment = momentOf(clock)
    this.taken?.leaveToLiveReads(binding.held.entry.name, this.time.reached(moment))
    if (by.entry === undefined && this.#endsSoon(binding, moment)) return
    this.#contradictionCount++
    telemetry.withdrawn(1)
    const { keepsQuestions } = this.#options
    file(contradictionCase(binding, by, { wall: moment.wall, keepsQuestions, rule }))
  }

  /**
   * Handles an agreed set that lacks too many unexpired entries of the present set. The mirror
   * answers nothing until it takes another set.
   */
  refuse(withdrawn: readonly MirroredEntry[], agreement: Agreement): void {
    this.#missing(withdrawn, agreement)
    this.stop({ kind: 'withdrawn', names: withdrawn.length })
  }

  /**
   * Compares a drained set with the followed names. Call this method before `take`, which may
   * replace the followed names by the drained set.
   */
  *reconcile(set: AgreedSet): Generator<void, Reconciliation> {
    const { state } = this
    return state === undefined || !this.isAgreed() ? { kind: 'skipped' } : yield* state.reconcile(set)
  }

  override unreconciled(at: number): void {
    this.state?.end(sentenceOf({ kind: 'unreconciled' }))
    super.unreconciled(at)
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
    const at = this.state?.follow(page)
    if (at !== undefined) this.#learn(Date.parse(at))
  }

  /**
   * Handles the time that the ledger has surely reached: milliseconds since 1970. The mirror answers
   * nothing before the first one, because a name may have expired (but see `trustClock`).
   * @param asked the moment before scans were asked for it; `heard` after they replied.
   */
  learnHead(reached: number, asked: Moment, heard: Moment): void {
    this.time.learnHead(reached, asked, heard)
    this.state?.learnHead(reached)
    this.tell()
  }

  /** Handles scans that have not said for a while how late the ledger is. */
  trustClock(): void {
    this.time.trustClock(momentOf(this.#deps.clock))
    this.tell()
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
    const { state, generation } = this
    const isOther = this.set !== undefined && this.set.dso !== set.dso
    const former = isOther ? undefined : this.taken
    if (former !== undefined && set.at < former.set.at) return 'older'
    if (set.entries.length > this.#options.maxEntries) {
      this.stop({ kind: 'entries', most: this.#options.maxEntries })
      return 'too-many-entries'
    }
    const continuing = state?.continuing(set)
    const names = continuing ?? (yield* LedgerNames.of(set))
    const begin = continuing === undefined ? state && (yield* state.beginning(set, names)) : undefined
    // Another DSO has another ledger, so the time that the former ledger reached does not apply.
    if (isOther) this.#time = new LedgerTime()
    this.#learn(set.at)
    if (former !== undefined) this.#missing(withdrawn, set.agreement)
    continuing?.rebase(set)
    begin?.()
    this.accept(new TakenSet(names, generation + 1, former?.since(set.at) ?? nothingLive))
    this.#deps.telemetry.taken({
      asOf: new Date(set.at).toISOString(),
      entries: set.entries.length,
      digest: set.digest,
      agreed: set.agreement.agreed,
      generation: generation + 1,
    })
    this.keep()
    return 'taken'
  }

  #stateOf(question: Question, reach: LedgerReach): FoundAnswer | undefined {
    const { state, generation } = this
    const names = state?.agreedNames
    if (names === undefined || this.taken?.isLeftToLiveReads(question.params['name'] ?? '')) return undefined
    const answer = this.#answerOf(names, question, reach)
    if (answer === undefined || state?.withholds(question, answer)) return undefined
    return { answer, asOf: { at: names.at, claim: 'state', basis: 'stream', generation } }
  }

  #answerOf(names: LedgerNames, question: Question, reach: LedgerReach): Answer | undefined {
    const found = names.index.find(question, reach)
    return found && this.#answers.of(question, found, names.agreement)
  }

  #bindingOf(question: Question, reach: LedgerReach): FoundAnswer | undefined {
    if (question.read.id !== lookupAnsEntryByName.id) return undefined
    const binding = this.taken?.binding(question.params['name'] ?? '', reach)
    if (binding === undefined || reach.reached >= binding.held.endsAt) return undefined
    const { held, asOf, agreement } = binding
    const answer = this.#answers.of(question, { kind: 'entry', held }, agreement)
    return asOf.basis === 'stream' && this.state?.withholds(question, answer) ? undefined : { answer, asOf }
  }

  #missing(withdrawn: readonly MirroredEntry[], by: Agreement): void {
    const { taken } = this
    if (taken === undefined) return
    const rule = 'the next snapshot lacks a mirrored name that has not expired'
    for (const entry of withdrawn) {
      if (!isBindable(entry.name) || taken.isLeftToLiveReads(entry.name)) continue
      const binding = { held: heldOf(entry), agreement: taken.set.agreement }
      this.#contradict(binding, { entry: undefined, agreement: by }, rule)
    }
  }

  #endsSoon({ held: { endsAt } }: Pick<Binding, 'held'>, moment: Moment): boolean {
    return endsAt - this.time.reached(moment) < clockErrorMs
  }

  #learn(at: number): void {
    this.time.learn(at, momentOf(this.#deps.clock))
  }
}
