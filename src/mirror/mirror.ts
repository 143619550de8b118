import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { type Moment, momentOf } from '../lib/clock.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import type { Question } from '../reads/read.ts'
import type { MirroredReads } from '../scan/mirrored-reads.ts'
import type { AgreedSet } from './agreed-set.ts'
import { entryOfAnswer } from './binding-answers.ts'
import { BindingsLevel } from './bindings-level.ts'
import { clockErrorMs } from './clock-error.ts'
import type { Contradicting } from './contradiction-case.ts'
import { Contradictions } from './contradictions.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { Followed, Following, Reconciliation, UpdatePage } from './following.ts'
import { LedgerTime } from './ledger-time.ts'
import { liveFinding } from './live-finding.ts'
import type { MirrorDeps, MirrorOptions } from './mirror-deps.ts'
import { MirrorPersistence } from './mirror-persistence.ts'
import type { MirroredEntry } from './mirrored-entry.ts'
import type { MirroredName, MirroredNames } from './mirrored-names.ts'
import { nameReads } from './name-reads.ts'
import { SetAvailability } from './set-availability.ts'
import type { OverlayEntry } from './store.ts'
import type { StreamLevel } from './stream-level.ts'
import type { TakenSet } from './taken-set.ts'
import type { SetStop } from './withheld-in-file.ts'

/**
 * Answers questions about names without asking super validators (docs/mirror.md#claims). The answers come
 * from an agreed set: the names of one snapshot on which a quorum agreed. At level `stream`, they also come
 * from the updates after that snapshot.
 */
export class Mirror implements MirroredReads, Disposable {
  readonly #options: MirrorOptions
  readonly #deps: MirrorDeps
  readonly #bindings: BindingsLevel
  readonly #contradictions: Contradictions
  readonly #availability: SetAvailability
  readonly #kept: MirrorPersistence
  #time = new LedgerTime()

  constructor(options: MirrorOptions, deps: MirrorDeps) {
    this.#options = options
    this.#deps = deps
    const { clock, roster, file, events } = deps
    this.#bindings = new BindingsLevel(options.lifetime)
    const availability = new SetAvailability({ roster, events, stopped: () => this.#kept.withhold() })
    this.#availability = availability
    this.#kept = new MirrorPersistence({ ...deps, availability, reached: (at) => this.#learn(at) })
    this.#contradictions = new Contradictions(options.keepsQuestions, {
      clock,
      names: () => this.names,
      time: () => this.time,
      file,
      withdrawn: (names) => events.withdrawn(names),
    })
  }

  /**
   * Loads the stored content. If the store cannot be read, the mirror stays as it is. While another process
   * uses the store's file, the mirror tries again every few seconds.
   */
  load(): Promise<void> {
    return this.#kept.load()
  }

  /** Cancels the timers for the next attempt to load or write the store after a failure. */
  [Symbol.dispose](): void {
    this.#kept[Symbol.dispose]()
  }

  /**
   * The sentence that says why the store lacks some of the mirror's content. Null if the store lacks nothing,
   * and until the first load or write has ended.
   */
  get unkeptBecause(): string | null {
    return this.#kept.unkeptBecause
  }

  /** The reason why the mirror answers nothing; undefined while it answers. */
  get degradation(): Degradation | undefined {
    return this.#availability.degradation
  }

  /** The time that the ledger has reached, as far as this daemon knows. */
  get time(): LedgerTime {
    return this.#time
  }

  get set(): AgreedSet | undefined {
    return this.#taken?.set
  }

  /**
   * The record time of the mirror's names: milliseconds since 1970. It is the time of the last followed
   * update while level `stream` answers, and otherwise the time of the snapshot. Undefined before the first
   * set of names.
   */
  get asOf(): number | undefined {
    return this.#served?.at ?? this.#taken?.set.at
  }

  /** The number of mirrored entries, without the overlay. */
  get size(): number {
    return this.#served?.size ?? this.names?.size ?? 0
  }

  get #taken(): TakenSet | undefined {
    return this.#availability.taken
  }

  /** The names at the last followed update; undefined while level `stream` does not answer. */
  get #served(): Following | undefined {
    const { state, clock } = this.#deps
    return state?.degradation({ now: clock.now() }) === undefined ? state?.following : undefined
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

  /** The number of contradictions since the start, except those that a clock error may explain. */
  get withdrawn(): number {
    return this.#contradictions.withdrawn
  }

  /**
   * The record time of the snapshot that need not be drained again: milliseconds since 1970. Undefined if
   * there is none. It is the first of these that exists:
   * - The snapshot that contradicted the followed updates. Another drain would give the same names.
   * - The snapshot of the mirror's present set, if the present roster supports that set (`isAgreed`).
   */
  get settledAt(): number | undefined {
    return this.#availability.settledAt
  }

  find(question: Question, at: Moment | undefined, notBefore: number | undefined): Served | undefined {
    const served = this.#serve(question, at, notBefore)
    if (served?.asOf !== undefined) this.#deps.events.answered(served.asOf.claim)
    return served
  }

  peek(question: Question): Served | undefined {
    return this.#serve(question, undefined, undefined)
  }

  #serve(question: Question, at: Moment | undefined, notBefore: number | undefined): Served | undefined {
    const { state, clock } = this.#deps
    const isByName = question.read.id === lookupAnsEntryByName.id
    if (!isByName && (state === undefined || !nameReads.includes(question.read.id))) return undefined
    if (!this.#availability.isServed) return undefined
    const name = question.params['name'] ?? ''
    if (isByName && this.#taken?.names.isLive(name)) return undefined
    const moment = at ?? momentOf(clock)
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
    if (!isBindable(name) || names.isLive(name)) return
    const entry = entryOfAnswer(answer)
    const found = liveFinding(names.find(name), entry, reach.reached)
    if (found?.kind === 'contradiction') {
      const by = { entry, agreement: answer.agreement }
      this.contradicted(found.row, by, 'a live read contradicts the mirror')
    }
    if (found?.kind !== 'entry') return
    // If the daemon's clock is this far behind the ledger, the daemon does not know when the quorum agreed.
    // The mirror then does not add the entry.
    if (reach.reached - moment.wall > clockErrorMs) return
    this.#add({ entry: found.entry, agreedAt: reach.reached, agreement: answer.agreement })
  }

  /**
   * Records that a quorum contradicts a mirrored entry. Until the mirror takes a later snapshot, only live
   * reads answer lookups of the entry's name. Files the contradiction as evidence, except if a clock error
   * may explain it: the quorum found no entry of the name, and the mirrored entry expires very soon
   * (`endsSoon`).
   * @param rule a sentence, without its full stop, that says how the contradiction was found.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    this.#contradictions.contradicted(row, by, rule)
    this.#kept.withhold()
  }

  /** Whether the entry has expired, or expires within the tolerated clock error (`clockErrorMs`). */
  endsSoon(row: MirroredName): boolean {
    return this.#contradictions.endsSoon(row)
  }

  /** Stops the mirror from answering until it takes the next set of names, even after a restart. */
  stop(why: SetStop): void {
    this.#availability.stop(why)
  }

  /**
   * Handles an agreed set that lacks too many unexpired entries of the present set. The mirror does not take
   * it, treats each missing entry as contradicted (`contradicted`), and answers nothing until it takes
   * another set.
   * @param withdrawn the entries that the new set lacks.
   * @param agreement the agreement on the new set.
   */
  refuse(withdrawn: readonly MirroredEntry[], agreement: Agreement): void {
    this.#contradictions.missing(withdrawn, agreement)
    this.stop({ kind: 'withdrawn', names: withdrawn.length })
  }

  /**
   * Whether the present roster supports the mirror's set of names. All super validators that agreed on the
   * set must be in the roster, and be enough for a lookup by name. The DSO must be the same.
   */
  isAgreed(): boolean {
    return this.#availability.isAgreed()
  }

  /**
   * Compares the followed names with a drained set. The method must be called before `take`, which may
   * replace the followed names by the drained set. The comparison is skipped if the present roster does not
   * support the mirror's present set (`isAgreed`).
   */
  reconcile(set: AgreedSet): Reconciliation {
    if (!this.isAgreed()) return { kind: 'skipped' }
    return this.#deps.state?.reconcile(set) ?? { kind: 'skipped' }
  }

  /**
   * Drops the followed names because a drained set contradicts them. The mirror answers nothing until it
   * takes a later set.
   * @param at the record time of the drained set: milliseconds since 1970.
   */
  unreconciled(at: number): void {
    this.#deps.state?.end(sentenceOf({ kind: 'unreconciled' }))
    this.#availability.unreconciled(at)
  }

  follow(page: UpdatePage): void {
    const step: Followed | undefined = this.#deps.state?.follow(page)
    if (step === undefined) return
    this.#learn(Date.parse(step.at))
    if (page.items.length > 0) this.#kept.follow(step)
  }

  /**
   * Records whether this release knows the version of the name-service package that the ledger uses. While
   * the version is unknown, the mirror answers nothing, whatever sets it takes.
   * @param why the sentence that says which version is unknown; undefined if the version is known.
   */
  judgePackage(why: string | undefined): void {
    this.#availability.judgePackage(why)
  }

  /**
   * Replaces the mirror's set of names by a newer one. The overlay keeps the entries that live reads found
   * after the new snapshot. Only live reads answer lookups of withdrawn names until a later snapshot, because
   * these names may have other owners by now.
   * @param withdrawn the unexpired entries of the former set that the new set lacks.
   * @returns `older` if the present set is later and of the same DSO, and `too-many-entries` if the new set
   * has more than `maxEntries` entries. In both cases the mirror keeps its present set.
   */
  take(set: AgreedSet, withdrawn: readonly MirroredEntry[] = []): 'taken' | 'older' | 'too-many-entries' {
    const isOther = this.#taken !== undefined && this.#taken.set.dso !== set.dso
    const former = isOther ? undefined : this.#taken
    if (former !== undefined && set.at < former.set.at) return 'older'
    if (set.entries.length > this.#options.maxEntries) {
      this.stop({ kind: 'entries', most: this.#options.maxEntries })
      return 'too-many-entries'
    }
    // A set of another DSO comes from another ledger, so the time that the former ledger reached does not
    // apply.
    if (isOther) this.#time = new LedgerTime()
    this.#learn(set.at)
    if (former !== undefined) this.#contradictions.missing(withdrawn, set.agreement)
    const since = former?.names.since(set.at)
    this.#deps.state?.take(set)
    const generation = this.generation + 1
    this.#availability.take({ set, generation, overlay: since?.overlay ?? [], live: since?.live ?? [] })
    this.#deps.events.taken(set, generation)
    this.#kept.replace()
    return 'taken'
  }

  #learn(at: number): void {
    this.time.learn(at, this.#deps.clock.now())
  }

  #add(entry: OverlayEntry): void {
    const { names } = this.#taken as TakenSet
    if (names.size + names.overlaySize >= this.#options.maxEntries) return
    names.add(entry)
    this.#kept.overlay(entry)
  }
}
