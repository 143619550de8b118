import { type Degradation, type SetStop, sentenceOf, type Withheld } from './degradation.ts'
import type { MirrorDeps } from './mirror-deps.ts'
import type { MirrorContent } from './mirror-file.ts'
import type { TakenSet } from './taken-set.ts'

export interface SetAvailabilityDeps extends Pick<MirrorDeps, 'roster' | 'telemetry' | 'state'> {
  readonly isTimeTrusted: () => boolean
  readonly stopsChanged: () => void
}

type Stops = Omit<Withheld, 'live'>

/**
 * Decides whether the mirror may answer from its latest set of names: no reason to stop applies, and
 * enough present super validators agreed on the set.
 */
export class SetAvailability {
  readonly #deps: SetAvailabilityDeps
  #stops: Stops = { stop: undefined, unreconciledAt: undefined, unknownPackage: undefined }
  #isPackageJudged = false
  #taken: TakenSet | undefined
  #told: Degradation['kind'] | undefined = 'no-set'

  constructor(deps: SetAvailabilityDeps) {
    this.#deps = deps
  }

  get taken(): TakenSet | undefined {
    return this.#taken
  }

  get degradation(): Degradation | undefined {
    const { stop, unknownPackage } = this.#stops
    if (unknownPackage !== undefined) return { kind: 'package', why: unknownPackage }
    if (stop !== undefined) return stop
    if (this.#taken === undefined) return { kind: 'no-set' }
    if (this.isAgreed()) return this.#deps.isTimeTrusted() ? undefined : { kind: 'no-head' }
    return this.#deps.roster() === undefined ? { kind: 'no-roster' } : { kind: 'roster' }
  }

  get isServed(): boolean {
    return this.isUncontradicted && this.#deps.isTimeTrusted()
  }

  get isUncontradicted(): boolean {
    const { stop, unknownPackage } = this.#stops
    return stop === undefined && unknownPackage === undefined && this.isAgreed()
  }

  /**
   * The record time of the snapshot that contradicted the followed updates. Updates are then followed
   * again only when the mirror takes a later set of names.
   */
  get unreconciledAt(): number | undefined {
    return this.#stops.unreconciledAt
  }

  /**
   * True if the super validators that agreed on the set are still a quorum of the roster, the
   * present list of super validators.
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

  judgePackage(why: string | undefined): void {
    this.#isPackageJudged = true
    this.#change({ unknownPackage: why })
  }

  take(taken: TakenSet): void {
    this.#stops = { ...this.#stops, stop: undefined, unreconciledAt: undefined }
    this.#taken = taken
    this.tell()
  }

  /**
   * Takes over the stored reasons. A reason that this process already has is newer than the stored
   * one, and stays.
   */
  restore({ stop, unreconciledAt, unknownPackage }: Stops, taken: TakenSet): void {
    const own = this.#stops
    this.#stops = {
      stop: own.stop ?? stop,
      unreconciledAt: own.unreconciledAt ?? unreconciledAt,
      unknownPackage: this.#isPackageJudged ? own.unknownPackage : unknownPackage,
    }
    this.#taken = taken
    this.tell()
  }

  content(): MirrorContent | undefined {
    if (this.#taken === undefined) return undefined
    const { set, generation, names } = this.#taken
    const { live } = this.#taken.since(set.at)
    return { set, generation, reached: names.at, withheld: { ...this.#stops, live } }
  }

  /** Reports a change since the last call, except of one reason of a start to another. */
  tell(): void {
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
    this.#deps.stopsChanged()
  }
}

/** True for the reasons that are normal while the daemon starts. */
function isStarting(kind: Degradation['kind'] | undefined): boolean {
  return kind === 'no-set' || kind === 'no-roster' || kind === 'no-head'
}
