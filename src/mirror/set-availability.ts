import type { Roster } from '../scan/roster.ts'
import type { Degradation } from './degradation.ts'
import { DegradationReports } from './degradation-reports.ts'
import type { MirrorEvents } from './mirror-deps.ts'
import { Stops } from './stops.ts'
import type { MirrorContent } from './store.ts'
import { TakenSet } from './taken-set.ts'
import type { SetStop, Withheld } from './withheld-in-file.ts'

/** The content of the mirror without the updates that follow the set of names. */
export type SetContent = Omit<MirrorContent, 'followed'>

export interface SetAvailabilityDeps {
  /** Returns the roster in force; undefined before the first one. */
  readonly roster: () => Roster | undefined
  readonly events: Pick<MirrorEvents, 'degraded' | 'restored'>
  /** Called when the reasons for not answering may have changed, so that the caller can store them. */
  readonly stopped: () => void
}

/**
 * Holds the set of names that the mirror took last, and decides whether the mirror may answer from it. The
 * mirror may not answer while there is a reason to stop (`Stops`), or while the present roster does not
 * support the set (`isAgreed`).
 */
export class SetAvailability {
  readonly #deps: SetAvailabilityDeps
  readonly #reports: DegradationReports
  readonly #stops = new Stops()
  #taken: TakenSet | undefined

  constructor(deps: SetAvailabilityDeps) {
    this.#deps = deps
    this.#reports = new DegradationReports(deps.events)
  }

  /** The set of names that the mirror took last; undefined if it has taken none. */
  get taken(): TakenSet | undefined {
    return this.#taken
  }

  /** The reason why the mirror answers nothing; undefined while it answers. */
  get degradation(): Degradation | undefined {
    const stopped = this.#stops.first
    if (stopped !== undefined) return stopped
    if (this.#taken === undefined) return { kind: 'no-set' }
    if (this.isAgreed()) return undefined
    return this.#deps.roster() === undefined ? { kind: 'no-roster' } : { kind: 'roster' }
  }

  get isServed(): boolean {
    return this.#stops.first === undefined && this.isAgreed()
  }

  /**
   * Whether a snapshot contradicted the followed updates. If so, updates are followed again only after the
   * mirror takes a later set of names.
   */
  get isUnreconciled(): boolean {
    return this.#stops.unreconciledAt !== undefined
  }

  /** The record time of the snapshot that need not be drained again (`Mirror.settledAt`). */
  get settledAt(): number | undefined {
    const refusedAt = this.#stops.unreconciledAt
    if (refusedAt !== undefined) return refusedAt
    return this.#taken !== undefined && this.isAgreed() ? this.#taken.set.at : undefined
  }

  /** Whether the present roster supports the mirror's set of names, so that the mirror may answer from it. */
  isAgreed(): boolean {
    if (this.#taken === undefined) return false
    if (this.#taken.judge(this.#deps.roster())) this.#tell()
    return this.#taken.isAgreed
  }

  /** Stops the mirror from answering until it takes the next set of names. */
  stop(why: SetStop): void {
    this.#stops.stop(why)
    this.#changed()
  }

  /**
   * @param at the record time of the snapshot that contradicted the followed updates: milliseconds since
   * 1970.
   */
  unreconciled(at: number): void {
    this.#stops.unreconciled(at)
    this.#changed()
  }

  /** Records whether the name-service package is known (`Mirror.judgePackage`): if so, `why` is undefined. */
  judgePackage(why: string | undefined): void {
    this.#stops.judgePackage(why)
    this.#changed()
  }

  /** Replaces the set of names. If answers were stopped because of the former set, they begin again. */
  take({ live, ...content }: Omit<SetContent, 'withheld'> & Pick<Withheld, 'live'>): void {
    this.#stops.taken()
    this.#use({ ...content, withheld: { ...this.#stops.kept, live } })
  }

  /** Takes over the stored set of names, and the stored reasons for not answering from it. */
  restore(content: SetContent): void {
    this.#stops.restore(content.withheld)
    this.#use(content)
  }

  /** Returns the set of names, and what must be stored with it; undefined before the first set. */
  content(): SetContent | undefined {
    if (this.#taken === undefined) return undefined
    const { set, generation, names } = this.#taken
    const { overlay, live } = names.since(set.at)
    return { set, generation, overlay, withheld: { ...this.#stops.kept, live } }
  }

  #use(content: SetContent): void {
    this.#taken = new TakenSet(content)
    this.#tell()
  }

  #changed(): void {
    this.#tell()
    this.#deps.stopped()
  }

  /** Reports that the mirror begins or ceases to answer, or that the reason for not answering changes. */
  #tell(): void {
    this.#reports.tell(this.degradation)
  }
}
