import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import { type Moment, momentOf } from '../lib/clock.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import type { Question } from '../reads/read.ts'
import type { MirroredReads } from '../scan/mirrored-reads.ts'
import type { AgreedSet } from './agreed-set.ts'
import { Bindings } from './bindings.ts'
import { clockErrorMs } from './clock-error.ts'
import type { Contradicting } from './contradiction-case.ts'
import { Contradictions } from './contradictions.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import { DegradationReports } from './degradation-reports.ts'
import type { MirroredEntry } from './entry.ts'
import type { Followed, Following, Reconciliation, UpdatePage } from './following.ts'
import { LedgerTime } from './ledger-time.ts'
import { liveFinding } from './live-finding.ts'
import type { MirrorDeps, MirrorOptions } from './mirror-deps.ts'
import { entryOfAnswer } from './mirrored-answers.ts'
import type { MirroredName, MirroredNames } from './mirrored-names.ts'
import { nameReads } from './name-reads.ts'
import type { StateLevel } from './state-level.ts'
import type { MirrorContent, OverlayEntry } from './store.ts'
import { StoreWrites } from './store-writes.ts'
import { TakenSet } from './taken-set.ts'

/** Answers lookups of names from an agreed set, without a request to super validators (docs/mirror.md#claims). */
export class Mirror implements MirroredReads, Disposable {
  readonly #options: MirrorOptions
  readonly #deps: MirrorDeps
  readonly #bindings: Bindings
  readonly #contradictions: Contradictions
  readonly #writes: StoreWrites
  readonly #reports: DegradationReports
  #time = new LedgerTime()
  #taken: TakenSet | undefined
  /** The reason why nothing is served until a set is taken; undefined if there is none. */
  #stopped: Degradation | undefined
  /** The reason why nothing is served while the ledger runs a package that this release does not know. */
  #unknownPackage: Degradation | undefined

  constructor(options: MirrorOptions, deps: MirrorDeps) {
    this.#options = options
    this.#deps = deps
    const { clock, store, file, events } = deps
    this.#bindings = new Bindings(options.lifetime)
    this.#writes = new StoreWrites({ clock, store, events, lookAgain: () => void this.load() })
    this.#reports = new DegradationReports(events)
    this.#contradictions = new Contradictions(options.keepsQuestions, {
      clock,
      names: () => this.names,
      time: () => this.time,
      file,
      withdrawn: (names) => events.withdrawn(names),
    })
  }

  /**
   * Loads the content of the store. If the store cannot be read, the mirror stays as it is. While another process has the
   * file, the mirror loads it again after that process has ended.
   */
  async load(): Promise<void> {
    try {
      const content = await this.#deps.store.load()
      if (!this.#writes.isClosed) this.#takeOver(content)
    } catch (error) {
      this.#writes.failed(error)
    }
  }

  /** Looks no more for the end of the process that has the file. */
  [Symbol.dispose](): void {
    this.#writes[Symbol.dispose]()
  }

  /** The sentence that says why the store is not used; null while it is used. */
  get unkeptBecause(): string | null {
    return this.#writes.unkeptBecause
  }

  /** The reason why nothing is served; undefined while the mirror answers. */
  get degradation(): Degradation | undefined {
    const stopped = this.#unknownPackage ?? this.#stopped
    if (stopped !== undefined) return stopped
    if (this.#taken === undefined) return { kind: 'no-set' }
    return this.#isAgreed() ? undefined : { kind: 'roster' }
  }

  /** The time that the ledger has reached. */
  get time(): LedgerTime {
    return this.#time
  }

  get set(): AgreedSet | undefined {
    return this.#taken?.set
  }

  /** The record time of what is served: milliseconds since 1970. */
  get asOf(): number | undefined {
    return this.#served?.at ?? this.#taken?.set.at
  }

  /** The number of names that are served, without the overlay. */
  get size(): number {
    return this.#served?.size ?? this.names?.size ?? 0
  }

  /** The followed state, while it is served. */
  get #served(): Following | undefined {
    const { state, clock } = this.#deps
    return state?.degradation({ now: clock.now() }) === undefined ? state?.following : undefined
  }

  get state(): StateLevel | undefined {
    return this.#deps.state
  }

  get generation(): number {
    return this.#taken?.generation ?? 0
  }

  get names(): MirroredNames | undefined {
    return this.#taken?.names
  }

  /** How often, since the start, a quorum contradicted a mirrored name that had not expired. */
  get withdrawn(): number {
    return this.#contradictions.withdrawn
  }

  /**
   * The grid instant of the set that the mirror has, unless that set must be drained again. Undefined without such a
   * set.
   */
  get settledAt(): number | undefined {
    return this.#taken !== undefined && this.#isAgreed() ? this.#taken.set.at : undefined
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
    if (this.#unknownPackage !== undefined || this.#stopped !== undefined || !this.#isAgreed())
      return undefined
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
    if (read.id !== lookupAnsEntryByName.id || this.#taken === undefined || !this.#isAgreed()) return
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
    // A clock that is behind the ledger does not tell when the quorum agreed.
    if (reach.reached - moment.wall > clockErrorMs) return
    this.#add({ entry: found.entry, agreedAt: reach.reached, agreement: answer.agreement })
  }

  /**
   * Leaves a name that a quorum contradicts to live reads, until a snapshot after this moment is taken. It also files
   * evidence, unless the name is merely absent and expires so soon that clocks may explain it.
   * @param rule a sentence, without its full stop, that says how the contradiction was found.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    this.#contradictions.contradicted(row, by, rule)
  }

  /** Whether the entry expires within the error that clocks may have. */
  endsSoon(row: MirroredName): boolean {
    return this.#contradictions.endsSoon(row)
  }

  /** Serves nothing, for this reason, until the next set is taken. */
  stop(why: Exclude<Degradation, { kind: 'package' }>): void {
    this.#stopped = why
    this.#tell()
  }

  /** Refuses a set that lacks several names of the present one, and serves nothing until a set is taken. */
  refuse(withdrawn: readonly MirroredEntry[], agreement: Agreement): void {
    this.#contradictions.missing(withdrawn, agreement)
    this.stop({ kind: 'withdrawn', names: withdrawn.length })
  }

  /** Compares what was followed with a set that was drained, before the set is taken. */
  reconcile(set: AgreedSet): Reconciliation {
    return this.#deps.state?.reconcile(set) ?? { kind: 'skipped' }
  }

  /** Forgets the state that a set contradicts, and serves nothing until a set is taken. */
  unreconciled(): void {
    const why = { kind: 'unreconciled' } as const
    this.#deps.state?.end(sentenceOf(why))
    this.stop(why)
  }

  /** Applies an agreed page of updates. */
  follow(page: UpdatePage): void {
    const step: Followed | undefined = this.#deps.state?.follow(page)
    if (step === undefined) return
    this.#learn(step)
    if (page.items.length > 0) this.#writes.follow(step, () => this.#content())
  }

  /**
   * Serves nothing while the ledger runs a package that this release does not know, whatever sets are taken.
   * @param why the sentence that says so; undefined if the packages are known.
   */
  judgePackage(why: string | undefined): void {
    this.#unknownPackage = why === undefined ? undefined : { kind: 'package', why }
    this.#tell()
  }

  /**
   * Replaces the set, and keeps the entries that live reads found after its snapshot. Only live reads answer withdrawn
   * names until a later set, because another owner may have them by then.
   * @param withdrawn the entries of the former set that this one lacks although they have not expired.
   * @returns false if the set is older than the present one, or has too many names.
   */
  take(set: AgreedSet, withdrawn: readonly MirroredEntry[] = []): boolean {
    const isOther = this.#taken !== undefined && this.#taken.set.dso !== set.dso
    const former = isOther ? undefined : this.#taken
    if (former !== undefined && set.at < former.set.at) return false
    if (set.entries.length > this.#options.maxEntries) {
      this.stop({ kind: 'entries', most: this.#options.maxEntries })
      return false
    }
    // The time of another ledger says nothing of this one.
    if (isOther) this.#time = new LedgerTime()
    this.time.learn(set.at, this.#deps.clock.now())
    if (former !== undefined) this.#contradictions.missing(withdrawn, set.agreement)
    const since = former?.names.since(set.at)
    const followed = this.#deps.state?.take(set)
    const content = { set, generation: this.generation + 1, overlay: since?.overlay ?? [], followed }
    this.#stopped = undefined
    this.#use(content)
    for (const [name, at] of since?.live ?? []) this.#taken?.names.goLive(name, at)
    this.#deps.events.taken(set, content.generation)
    this.#writes.replace(content)
    return true
  }

  /** Takes the content of the store, unless the mirror has a set of its own meanwhile, which it then writes. */
  #takeOver(content: MirrorContent | undefined): void {
    const { state } = this.#deps
    if (content !== undefined && this.#isToRestore(content.set)) {
      const generation = Math.max(content.generation, this.#taken === undefined ? 0 : this.generation + 1)
      this.#use({ ...content, generation })
      state?.restore(content.set, content.followed)
      if (content.followed !== undefined) this.#learn(content.followed)
    } else if (this.#taken !== undefined) return this.#writes.replace(this.#content())
    this.#writes.loaded()
  }

  #isToRestore(kept: AgreedSet): boolean {
    const own = this.#taken?.set
    if (own === undefined) return true
    return own.dso === kept.dso && kept.at > own.at && this.#deps.state?.following === undefined
  }

  #use(content: Omit<MirrorContent, 'followed'>): void {
    const { set } = content
    this.#taken = new TakenSet(content)
    this.time.learn(set.at, this.#deps.clock.now())
    this.#tell()
  }

  #learn({ at }: Followed): void {
    this.time.learn(Date.parse(at), this.#deps.clock.now())
  }

  #add(entry: OverlayEntry): void {
    const { names } = this.#taken as TakenSet
    if (names.size + names.overlaySize >= this.#options.maxEntries) return
    names.add(entry)
    this.#writes.overlay(entry)
  }

  /** Whether those that agreed are still a quorum. Judged once for each roster. */
  #isAgreed(): boolean {
    if (this.#taken === undefined) return false
    if (this.#taken.judge(this.#deps.roster())) this.#tell()
    return this.#taken.isAgreed
  }

  /** Reports a change between serving and not serving. */
  #tell(): void {
    this.#reports.tell(this.degradation)
  }

  /** Returns everything that the store must keep for a restart. */
  #content(): MirrorContent {
    const { set, generation, names } = this.#taken as TakenSet
    const { overlay } = names.since(set.at)
    return { set, generation, overlay, followed: this.#deps.state?.following?.followed }
  }
}
