import { wholeWork } from '../lib/in-portions.ts'
import type { Roster } from '../scan/roster.ts'
import type { Degradation } from './degradation.ts'
import type { MirrorEvents } from './mirror-deps.ts'
import type { MirrorContent } from './mirror-file.ts'
import { MirroredNames } from './mirrored-names.ts'
import { Stops } from './stops.ts'
import { type SetContent, TakenSet } from './taken-set.ts'
import type { SetStop, Withheld } from './withheld-in-file.ts'

export interface SetAvailabilityDeps {
  readonly roster: () => Roster | undefined
  readonly isTimeTrusted: () => boolean
  readonly events: Pick<MirrorEvents, 'degraded' | 'restored'>
  readonly stopsChanged: () => void
}

/**
 * Decides whether the mirror may answer from its latest set of names: no reason to stop (`Stops`)
 * applies, and enough present super validators agreed on the set.
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

  get taken(): TakenSet | undefined {
    return this.#taken
  }

  get degradation(): Degradation | undefined {
    const stopped = this.#stops.first
    if (stopped !== undefined) return stopped
    if (this.#taken === undefined) return { kind: 'no-set' }
    if (this.isAgreed()) return this.#deps.isTimeTrusted() ? undefined : { kind: 'no-head' }
    return this.#deps.roster() === undefined ? { kind: 'no-roster' } : { kind: 'roster' }
  }

  get isServed(): boolean {
    return this.isUncontradicted && this.#deps.isTimeTrusted()
  }

  get isUncontradicted(): boolean {
    return this.#stops.first === undefined && this.isAgreed()
  }

  /**
   * True if a snapshot contradicted the followed updates. Updates are then followed again only when
   * the mirror takes a later set of names.
   */
  get isUnreconciled(): boolean {
    return this.#stops.unreconciledAt !== undefined
  }

  get settledAt(): number | undefined {
    const refusedAt = this.#stops.unreconciledAt
    if (refusedAt !== undefined) return refusedAt
    return this.#taken !== undefined && this.isAgreed() ? this.#taken.set.at : undefined
  }

  /**
   * True if the super validators that agreed on the set are still a quorum of the roster, the
   * present list of super validators.
   */
  isAgreed(): boolean {
    if (this.#taken === undefined) return false
    if (this.#taken.judge(this.#deps.roster())) this.#tell()
    return this.#taken.isAgreed
  }

  stop(why: SetStop): void {
    this.#stops.stop(why)
    this.#changed()
  }

  unreconciled(at: number): void {
    this.#stops.unreconciled(at)
    this.#changed()
  }

  judgePackage(why: string | undefined): void {
    this.#stops.judgePackage(why)
    this.#changed()
  }

  take(
    { live, ...content }: Omit<SetContent, 'withheld'> & Pick<Withheld, 'live'>,
    names: MirroredNames,
  ): void {
    this.#stops.taken()
    this.#use({ ...content, withheld: { ...this.#stops.kept, live } }, names)
  }

  restore(content: Omit<MirrorContent, 'reached'>): void {
    this.#stops.restore(content.withheld)
    this.#use({ ...content, overlay: [] }, wholeWork(MirroredNames.of(content.set, content.generation)))
  }

  content(): Omit<MirrorContent, 'reached'> | undefined {
    if (this.#taken === undefined) return undefined
    const { set, generation, names } = this.#taken
    const { live } = names.since(set.at)
    return { set, generation, withheld: { ...this.#stops.kept, live } }
  }

  #use(content: SetContent, names: MirroredNames): void {
    this.#taken = new TakenSet(content, names)
    this.#tell()
  }

  #changed(): void {
    this.#tell()
    this.#deps.stopsChanged()
  }

  timeTrusted(): void {
    this.#tell()
  }

  #tell(): void {
    this.#reports.tell(this.degradation)
  }
}

/**
 * True for `no-set`, `no-roster` and `no-head`, which are normal while the daemon starts. A change
 * from one of these reasons to another is not reported.
 */
function isStarting(kind: Degradation['kind'] | undefined): boolean {
  return kind === 'no-set' || kind === 'no-roster' || kind === 'no-head'
}

class DegradationReports {
  readonly #events: Pick<MirrorEvents, 'degraded' | 'restored'>
  #last: Degradation['kind'] | undefined = 'no-set'

  constructor(events: Pick<MirrorEvents, 'degraded' | 'restored'>) {
    this.#events = events
  }

  tell(why: Degradation | undefined): void {
    if (why?.kind === this.#last || (isStarting(why?.kind) && isStarting(this.#last))) return
    this.#last = why?.kind
    if (why === undefined) this.#events.restored()
    else this.#events.degraded(why)
  }
}
