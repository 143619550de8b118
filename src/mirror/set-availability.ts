import { type Degradation, type SetStop, sentenceOf, type Withheld } from './degradation.ts'
import type { LedgerTime } from './ledger-time.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import type { MirrorContent } from './mirror-file.ts'
import type { TakenSet } from './taken-set.ts'

type Stops = Omit<Withheld, 'live'>

/**
 * Decides whether the mirror may answer from its latest set of names: no reason to stop applies, and
 * enough present super validators agreed on the set.
 */
export abstract class SetAvailability {
  readonly #deps: Pick<MirrorDeps, 'roster' | 'telemetry' | 'state'>
  #stops: Stops = { stop: undefined, unreconciledAt: undefined, unknownPackage: undefined }
  #isPackageJudged = false
  #taken: TakenSet | undefined
  #told: Degradation['kind'] | undefined = 'no-set'

  constructor(deps: Pick<MirrorDeps, 'roster' | 'telemetry' | 'state'>) {
    this.#deps = deps
  }

  abstract get time(): Pick<LedgerTime, 'isTrusted'>

  /** Called when what must be stored has changed. */
  protected abstract keep(): void

  get taken(): TakenSet | undefined {
    return this.#taken
  }

  get degradation(): Degradation | undefined {
    const { stop, unknownPackage } = this.#stops
    if (unknownPackage !== undefined) return { kind: 'package', why: unknownPackage }
    if (stop !== undefined) return stop
    if (this.#taken === undefined) return { kind: 'no-set' }
    if (this.isAgreed()) return this.time.isTrusted ? undefined : { kind: 'no-head' }
    return this.#deps.roster() === undefined ? { kind: 'no-roster' } : { kind: 'roster' }
  }

  protected get isServed(): boolean {
    return this.isUncontradicted && this.time.isTrusted
  }

  protected get isUncontradicted(): boolean {
    const { stop, unknownPackage } = this.#stops
    return stop === undefined && unknownPackage === undefined && this.isAgreed()
  }

  /**
   * The record time of the snapshot that contradicted the followed updates. Updates are then followed
   * again only when the mirror takes a later set of names.
   */
  protected get unreconciledAt(): number | undefined {
    return this.#stops.unreconciledAt
  }

  /**
   * Returns true if all super validators that agreed on the set are still in the roster and meet
   * its threshold for a lookup by name. The roster must be of the same DSO.
   */
  isAgreed(): boolean {
    if (this.#taken === undefined) return false
    if (this.#taken.judge(this.#deps.roster())) this.tell()
    return this.#taken.isAgreed
  }

  stop(why: SetStop): void {
    this.#change({ stop: why })
  }

  unreconciled(at: number): void {
    this.#change({ stop: { kind: 'unreconciled' }, unreconciledAt: at })
  }

  /**
   * While this release does not know the ledger's name-service package, the mirror answers nothing.
   * @param why a sentence about the unknown version; undefined if the version is known.
   */
  judgePackage(why: string | undefined): void {
    this.#isPackageJudged = true
    this.#change({ unknownPackage: why })
  }

  protected accept(taken: TakenSet): void {
    this.#stops = { ...this.#stops, stop: undefined, unreconciledAt: undefined }
    this.#taken = taken
    this.tell()
  }

  /**
   * Takes over the stored reasons. A reason that this process already has is newer than the stored
   * one, and stays.
   */
  protected restore({ stop, unreconciledAt, unknownPackage }: Stops, taken: TakenSet): void {
    const own = this.#stops
    this.#stops = {
      stop: own.stop ?? stop,
      unreconciledAt: own.unreconciledAt ?? unreconciledAt,
      unknownPackage: this.#isPackageJudged ? own.unknownPackage : unknownPackage,
    }
    this.#taken = taken
    this.tell()
  }

  protected content(): MirrorContent | undefined {
    if (this.#taken === undefined) return undefined
    const { set, generation, names } = this.#taken
    const { live } = this.#taken.since(set.at)
    return { set, generation, reached: names.at, withheld: { ...this.#stops, live } }
  }

  /** Reports a change since the last call, except of one reason of a start to another. */
  protected tell(): void {
    const { telemetry, state } = this.#deps
    const why = this.degradation
    if (why?.kind === this.#told || (isStarting(why?.kind) && isStarting(this.#told))) return
    this.#told = why?.kind
    if (why === undefined) return telemetry.restored()
    telemetry.degraded(sentenceOf(why))
    state?.interrupt(why)
  }

  #change(stops: Stops): void {
    this.#stops = { ...this.#stops, ...stops }
    this.tell()
    this.keep()
  }
}

/** True for the reasons that are normal while the daemon starts. */
function isStarting(kind: Degradation['kind'] | undefined): boolean {
  return kind === 'no-set' || kind === 'no-roster' || kind === 'no-head'
}
