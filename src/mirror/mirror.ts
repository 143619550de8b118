import type { Agreement } from '../cache/agreement.ts'
import type { Answer, Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { MirrorClaim } from '../cache/as-of.ts'
import { type Clock, type Moment, momentOf } from '../lib/clock.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import { isBindable } from '../reads/bindable.ts'
import type { Question } from '../reads/read.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { MirroredReads } from '../scan/mirrored-reads.ts'
import type { Roster } from '../scan/roster.ts'
import type { AgreedSet } from './agreed-set.ts'
import { compareEntries } from './compare-entries.ts'
import { type Contradicting, contradictionCase } from './contradiction-case.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import { expiryOf } from './entries.ts'
import type { MirroredEntry } from './entry.ts'
import type { Followed, Following, Reconciliation, UpdatePage } from './following.ts'
import { type LedgerReach, LedgerTime } from './ledger-time.ts'
import { entryOfAnswer, MirroredAnswers } from './mirrored-answers.ts'
import { type MirroredName, MirroredNames } from './mirrored-names.ts'
import { nameReads } from './name-reads.ts'
import type { StateLevel } from './state-level.ts'
import { isStillAgreed } from './still-agreed.ts'
import { type MirrorContent, type MirrorStore, type OverlayEntry, UnusableMirrorFile } from './store.ts'

export interface MirrorOptions {
  readonly maxEntries: number
  /** The time for which callers may cache an answer. */
  readonly lifetime: Lifetime
  /** Whether evidence keeps the names that it is about. */
  readonly keepsQuestions: boolean
}

export interface MirrorEvents {
  answered(claim: MirrorClaim): void
  taken(set: AgreedSet, generation: number): void
  degraded(why: Degradation): void
  restored(): void
  /** A mirrored name ended before it expired. */
  withdrawn(names: number): void
  storeFailed(error: unknown): void
  /** The store can be used: at the start, or again after it failed. */
  storeWorks(): void
}

export interface MirrorDeps {
  readonly clock: Clock
  readonly store: MirrorStore
  /** The roster in force. */
  readonly roster: () => Roster | undefined
  /** Files evidence. */
  readonly file: (found: Case) => void
  readonly events: MirrorEvents
  /** Answers with the state of the ledger where it can; absent at level `bindings`. */
  readonly state?: StateLevel | undefined
}

interface MirrorTime {
  readonly moment: Moment
  readonly reach: LedgerReach
  readonly notBefore: number | undefined
}

interface Taken {
  readonly set: AgreedSet
  readonly generation: number
  readonly names: MirroredNames
}

/**
 * The error that a clock may have. So near its expiry, a name may be absent at a super validator whose clock is ahead,
 * which is no contradiction.
 */
const clockErrorMs = 60_000
/** Milliseconds until the mirror looks again whether the process has ended that has its file. */
const lookAgainMs = 5_000

/** Answers lookups of names from an agreed set, without a request to super validators (docs/mirror.md#claims). */
export class Mirror implements MirroredReads, Disposable {
  readonly #options: MirrorOptions
  readonly #deps: MirrorDeps
  readonly #answers = new MirroredAnswers()
  #time = new LedgerTime()
  #taken: Taken | undefined
  /** The reason why nothing is served until a set is taken; undefined if there is none. */
  #stopped: Degradation | undefined
  /** The reason why nothing is served while the ledger runs a package that this release does not know. */
  #unknownPackage: Degradation | undefined
  #wasDegraded: Degradation['kind'] | undefined = 'no-set'
  #judged: { readonly roster: Roster | undefined; readonly isAgreed: boolean } | undefined
  #withdrawn = 0
  /** Whether a write failed since the store was given everything. */
  #isUnkept = false
  /** The sentence that says why the store cannot be used. Null while it can be used; undefined before it was tried. */
  #unkeptBecause: string | null | undefined
  #cancelLook: (() => void) | undefined
  #isClosed = false

  constructor(options: MirrorOptions, deps: MirrorDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * Takes what the store has kept. A store that cannot be read leaves the mirror empty. While another process has the file,
   * the mirror looks for its end.
   */
  async load(): Promise<void> {
    try {
      const content = await this.#deps.store.load()
      if (!this.#isClosed) this.#takeOver(content)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Looks no more for the end of the process that has the file. */
  [Symbol.dispose](): void {
    this.#isClosed = true
    this.#cancelLook?.()
  }

  /** The sentence that says why the store is not used; null while it is used. */
  get unkeptBecause(): string | null {
    return this.#unkeptBecause ?? null
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

  /** The number of names that are served. */
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

  /** The number of mirrored names that ended before they expired, since the start. */
  get withdrawn(): number {
    return this.#withdrawn
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
    const reach = this.time.reach(moment)
    return (
      state?.find(question, { moment, reach, notBefore, generation: this.generation }) ??
      (isByName ? this.#binding(name, { moment, reach, notBefore }) : undefined)
    )
  }

  agreed(question: Question, answer: Answer): void {
    const { read, params } = question
    if (!nameReads.includes(read.id)) return
    const moment = momentOf(this.#deps.clock)
    const reach = this.time.reach(moment)
    const { reached } = reach
    this.#deps.state?.heard(question, answer, reach)
    if (read.id !== lookupAnsEntryByName.id || this.#taken === undefined || !this.#isAgreed()) return
    const { names } = this.#taken
    const name = params['name'] ?? ''
    if (!isBindable(name) || names.isLive(name)) return
    const entry = entryOfAnswer(answer)
    const row = names.find(name)
    if (row !== undefined && row.endsAt > reached) {
      if (this.#contradicts(row, entry))
        return this.contradicted(
          row,
          { entry, agreement: answer.agreement },
          'a live read contradicts the mirror',
        )
      if (entry === undefined || compareEntries(row.entry, entry) !== 'renewed') return
    }
    if (entry === undefined || !(expiryOf(entry) > reached)) return
    // A clock that is behind the ledger does not tell when the quorum agreed.
    if (reached - moment.wall > clockErrorMs) return
    this.#add({ entry, agreedAt: reached, agreement: answer.agreement })
  }

  /**
   * Files that a quorum contradicts a mirrored entry, and leaves its name to live reads until the next snapshot.
   * @param rule the sentence that says how it was found.
   */
  contradicted(row: MirroredName, by: Contradicting, rule: string): void {
    const { clock, file, events } = this.#deps
    const moment = momentOf(clock)
    this.#taken?.names.goLive(row.entry.name, this.time.reached(moment))
    if (by.entry === undefined && this.#endsSoon(row, moment)) return
    this.#withdrawn++
    events.withdrawn(1)
    const { keepsQuestions } = this.#options
    file(contradictionCase(row, by, { wall: moment.wall, keepsQuestions, rule }))
  }

  /** Whether the entry expires within the error that clocks may have. */
  endsSoon(row: MirroredName): boolean {
    return this.#endsSoon(row, momentOf(this.#deps.clock))
  }

  /** Serves nothing, for this reason, until the next set is taken. */
  stop(why: Exclude<Degradation, { kind: 'package' }>): void {
    this.#stopped = why
    this.#tell()
  }

  /** Refuses a set that lacks several names of the present one, and serves nothing until a set is taken. */
  refuse(withdrawn: readonly MirroredEntry[], agreement: Agreement): void {
    if (this.#taken !== undefined) this.#fileWithdrawn(this.#taken.names, agreement, withdrawn)
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

  /** Goes on by an agreed page of updates. */
  follow(page: UpdatePage): void {
    const step: Followed | undefined = this.#deps.state?.follow(page)
    if (step === undefined) return
    this.#learn(step)
    if (page.items.length > 0) this.#keepStep(step)
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
   * Replaces the set, and keeps what live reads agreed on since its snapshot. Withdrawn names are left to live reads until
   * the next set, so that none becomes another owner's.
   * @param withdrawn the entries of the former set that are missing in this one.
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
    if (former !== undefined) this.#fileWithdrawn(former.names, set.agreement, withdrawn)
    const since = former?.names.since(set.at)
    const followed = this.#deps.state?.take(set)
    const content = { set, generation: this.generation + 1, overlay: since?.overlay ?? [], followed }
    this.#stopped = undefined
    this.#use(content)
    for (const [name, at] of since?.live ?? []) this.#taken?.names.goLive(name, at)
    this.#deps.events.taken(set, content.generation)
    this.#isUnkept = false
    this.#keep(this.#deps.store.replace(content))
    return true
  }

  /** Answers with an entry of the set, or with one that a live read found since. */
  #binding(name: string, { moment, reach, notBefore }: MirrorTime): Served | undefined {
    const row = this.#taken?.names.find(name)
    if (row === undefined || reach.reached >= row.endsAt) return undefined
    const { asOf } = row.source
    if (notBefore !== undefined && asOf.at < notBefore) return undefined
    const { lifetime } = this.#options
    return {
      answer: this.#answers.of(row),
      agreedAt: moment.now,
      how: 'mirror',
      stored: true,
      lifetime,
      asOf,
    }
  }

  #use({ set, generation, overlay }: Omit<MirrorContent, 'followed'>): void {
    const names = new MirroredNames(set, generation)
    for (const entry of overlay) names.add(entry)
    this.#taken = { set, generation, names }
    this.#judged = undefined
    this.time.learn(set.at, this.#deps.clock.now())
    this.#tell()
  }

  #learn({ at }: Followed): void {
    this.time.learn(Date.parse(at), this.#deps.clock.now())
  }

  #add(entry: OverlayEntry): void {
    const { names } = this.#taken as Taken
    if (names.size + names.overlaySize >= this.#options.maxEntries) return
    names.add(entry)
    this.#keep(this.#deps.store.overlay(entry))
  }

  #fileWithdrawn(former: MirroredNames, agreement: Agreement, entries: readonly MirroredEntry[]): void {
    const rule = 'the next snapshot lacks a mirrored name that has not expired'
    for (const { name } of entries) {
      const row = former.find(name)
      if (row !== undefined) this.contradicted(row, { entry: undefined, agreement }, rule)
    }
  }

  #contradicts(row: MirroredName, entry: Contradicting['entry']): boolean {
    return entry === undefined || compareEntries(row.entry, entry) === 'other'
  }

  #endsSoon({ endsAt }: MirroredName, moment: Moment): boolean {
    return endsAt - this.time.reached(moment) < clockErrorMs
  }

  /** Whether those that agreed are still a quorum. Judged once for each roster. */
  #isAgreed(): boolean {
    const roster = this.#deps.roster()
    const judged = this.#judged
    if (judged !== undefined && judged.roster === roster) return judged.isAgreed
    const { set, names } = this.#taken ?? {}
    const isAgreed =
      set !== undefined &&
      roster !== undefined &&
      set.dso === roster.set.dso &&
      isStillAgreed(set.agreement, roster)
    this.#judged = { roster, isAgreed }
    if (isAgreed) names?.retainOverlay((agreement) => isStillAgreed(agreement, roster))
    this.#tell()
    return isAgreed
  }

  /** Reports a change between serving and not serving. */
  #tell(): void {
    const why = this.degradation
    if (why?.kind === this.#wasDegraded) return
    this.#wasDegraded = why?.kind
    if (why === undefined) this.#deps.events.restored()
    else this.#deps.events.degraded(why)
  }

  /** After a write that failed, the store gets everything again, so that its updates have no gap. */
  #keepStep(step: Followed): void {
    if (this.#isUnkept) this.#keepAll()
    else this.#keep(this.#deps.store.follow(step))
  }

  #keepAll(): void {
    const { store, state } = this.#deps
    const { set, generation, names } = this.#taken as Taken
    const { overlay } = names.since(set.at)
    this.#isUnkept = false
    this.#keep(store.replace({ set, generation, overlay, followed: state?.following?.followed }))
  }

  #keep(written: Promise<void>): void {
    written.then(
      () => this.#works(),
      (error: unknown) => this.#failed(error),
    )
  }

  /** Takes what a store has kept, unless the mirror has taken a set meanwhile, which it then writes. */
  #takeOver(content: MirrorContent | undefined): void {
    const { state } = this.#deps
    if (content !== undefined && this.#isToRestore(content.set)) {
      const generation = Math.max(content.generation, this.#taken === undefined ? 0 : this.generation + 1)
      this.#use({ ...content, generation })
      state?.restore(content.set, content.followed)
      if (content.followed !== undefined) this.#learn(content.followed)
    } else if (this.#taken !== undefined) return this.#keepAll()
    this.#isUnkept = false
    this.#works()
  }

  #isToRestore(kept: AgreedSet): boolean {
    const own = this.#taken?.set
    if (own === undefined) return true
    return own.dso === kept.dso && kept.at > own.at && this.#deps.state?.following === undefined
  }

  #works(): void {
    if (this.#unkeptBecause === null) return
    this.#unkeptBecause = null
    this.#deps.events.storeWorks()
  }

  #failed(error: unknown): void {
    if (this.#isClosed) return
    this.#isUnkept = true
    this.#unkeptBecause = error instanceof Error ? error.message : String(error)
    this.#deps.events.storeFailed(error)
    if (!(error instanceof UnusableMirrorFile) || error.fault !== 'in-use') return
    this.#cancelLook ??= this.#deps.clock.after(lookAgainMs, () => {
      this.#cancelLook = undefined
      void this.load()
    })
  }
}
