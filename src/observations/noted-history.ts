import type { NotedEpoch } from './noted-epoch.ts'
import { mostObservations, type SvObservation } from './observation.ts'

/**
 * The maximum number of epochs that are kept; together they are six hours long. Two daemons may drain the
 * same snapshot at times that are hours apart, and their observations of it must still be comparable.
 */
const mostEpochs = 36
const mostLines = 4 * mostObservations

/** A reference to one observation: its epoch, and its index in the list of the epoch. */
export interface Noted {
  readonly noted: NotedEpoch
  readonly index: number
}

/** The latest epochs of one daemon, in bounded memory, with an index by super validator and subject. */
export class NotedHistory {
  /** The epochs by number, in the order in which they were added. */
  readonly #epochs = new Map<number, NotedEpoch>()
  readonly #said = new Map<string, Noted[]>()
  #lines = 0

  /** Adds an epoch, which must not be in the history yet. */
  add(noted: NotedEpoch): void {
    this.#epochs.set(noted.epoch, noted)
    this.#lines += noted.lines.length
    for (const [index, observation] of noted.observations.entries()) {
      const key = keyOf(observation)
      const said = this.#said.get(key)
      if (said === undefined) this.#said.set(key, [{ noted, index }])
      else said.push({ noted, index })
    }
    this.#trim()
  }

  find(epoch: number): NotedEpoch | undefined {
    return this.#epochs.get(epoch)
  }

  /**
   * Returns the kept observations that contradict this one: they have the same super validator and subject,
   * but another digest.
   */
  contradicting(observation: SvObservation): readonly Noted[] {
    const said = this.#said.get(keyOf(observation)) ?? []
    return said.filter(({ noted, index }) => noted.observations[index]?.digest !== observation.digest)
  }

  /** The number of the latest epoch that is kept. Undefined if there is none. */
  get latest(): number | undefined {
    return this.#epochs.size === 0 ? undefined : Math.max(...this.#epochs.keys())
  }

  #trim(): void {
    while (this.#epochs.size > mostEpochs || (this.#lines > mostLines && this.#epochs.size > 1))
      this.#forget(Math.min(...this.#epochs.keys()))
  }

  #forget(epoch: number): void {
    const gone = this.#epochs.get(epoch)
    if (gone === undefined) return
    this.#epochs.delete(epoch)
    this.#lines -= gone.lines.length
    for (const key of new Set(gone.observations.map(keyOf))) {
      const left = this.#said.get(key)?.filter(({ noted }) => noted.epoch !== epoch) ?? []
      if (left.length === 0) this.#said.delete(key)
      else this.#said.set(key, left)
    }
  }
}

function keyOf({ sv, subject }: SvObservation): string {
  return `${subject} ${sv}`
}
