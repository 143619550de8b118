import type { NotedEpoch } from './noted-epoch.ts'
import { mostObservations, type SvObservation } from './observation.ts'

/** These epochs span six hours, because two daemons may download the same snapshot hours apart. */
const mostEpochs = 36
const mostLines = 4 * mostObservations

/** A reference to one observation: `noted.observations[index]`. */
export interface ObservationRef {
  readonly noted: NotedEpoch
  readonly index: number
}

export class NotedHistory {
  readonly #epochs = new Map<number, NotedEpoch>()
  readonly #said = new Map<string, ObservationRef[]>()
  #lines = 0

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

  contradicting(observation: SvObservation): readonly ObservationRef[] {
    const said = this.#said.get(keyOf(observation)) ?? []
    return said.filter(({ noted, index }) => noted.observations[index]?.digest !== observation.digest)
  }

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
