import type { Clock } from '../lib/clock.ts'
import type { SigningKey } from '../receipts/signing-key.ts'
import { checkpointText } from './checkpoint.ts'
import { endOf, epochAt } from './epoch.ts'
import { signNote } from './note-signatures.ts'
import type { NotedEpoch } from './noted-epoch.ts'
import { isObservation, lineOf, mostObservations, type SvObservation } from './observation.ts'

export interface ObservationBookDeps {
  readonly clock: Pick<Clock, 'wall'>
  readonly signing: (wall: number) => SigningKey
  /**
   * Called when an epoch is over. `dropped` is the number of observations that were left out
   * because the epoch was full.
   */
  readonly closed: (noted: NotedEpoch, dropped: number) => void
}

/** Collects distinct observations, and signs them when an epoch (ten minutes) is over. */
export class ObservationBook {
  readonly #deps: ObservationBookDeps
  readonly #current = new Map<string, SvObservation>()
  #epoch: number
  #dropped = 0

  constructor(deps: ObservationBookDeps) {
    this.#deps = deps
    this.#epoch = epochAt(deps.clock.wall())
  }

  /** The number never decreases, even if the clock is set back. */
  get epoch(): number {
    return this.#epoch
  }

  get size(): number {
    return this.#current.size
  }

  add(observation: SvObservation): void {
    this.closeEpochIfOver()
    if (!isObservation(observation)) return
    const line = lineOf(observation)
    if (this.#current.has(line)) return
    if (this.#current.size >= mostObservations) this.#dropped++
    else this.#current.set(line, observation)
  }

  closeEpochIfOver(): void {
    const now = epochAt(this.#deps.clock.wall())
    if (now <= this.#epoch) return
    const noted = this.#noted()
    const dropped = this.#dropped
    this.#epoch = now
    this.#current.clear()
    this.#dropped = 0
    this.#deps.closed(noted, dropped)
  }

  get remainingMs(): number {
    return Math.max(0, endOf(this.#epoch) - this.#deps.clock.wall())
  }

  #noted(): NotedEpoch {
    const epoch = this.#epoch
    const lines = [...this.#current.keys()].sort()
    const key = this.#deps.signing(endOf(epoch))
    const text = checkpointText({ key, epoch }, lines)
    return {
      epoch,
      key: { keyid: key.keyid, x: key.x },
      note: { text, signatures: [signNote(text, key)] },
      observations: lines.map((line) => this.#current.get(line) as SvObservation),
      lines,
    }
  }
}
