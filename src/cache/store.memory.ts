import { LRUCache } from 'lru-cache'
import type { Generation, Generations } from './generations.ts'
import type { Remembered, SyncStore } from './store.ts'

interface Kept {
  readonly remembered: Remembered
  /** The last generation that it was compared with. */
  checked: Generation
}

export interface MemoryStoreOptions {
  /** For keys, bodies and what is kept beside them. */
  readonly maxBytes: number
}

/** Of the whole, for absences (quorum.md#cost-is-bounded). */
const absenceShare = 1 / 4
/** Of its partition, for one answer. */
const largestShare = 1 / 2
/** An answer's objects, its agreement and its place in the cache. */
const overheadBytes = 1024

/**
 * Answers in this process, the least recently used ones going first. Absences have a partition of their own: however
 * many names somebody makes up, no value leaves for them.
 */
export class MemoryStore implements SyncStore {
  readonly peeksAll = true
  readonly #values: LRUCache<string, Kept>
  readonly #absences: LRUCache<string, Kept>
  readonly #generations: Generations

  constructor({ maxBytes }: MemoryStoreOptions, { generations }: { readonly generations: Generations }) {
    const absenceBytes = Math.floor(maxBytes * absenceShare)
    this.#values = partition(maxBytes - absenceBytes)
    this.#absences = partition(absenceBytes)
    this.#generations = generations
  }

  /** Bytes kept now. */
  get bytes(): { readonly values: number; readonly absences: number } {
    return { values: this.#values.calculatedSize, absences: this.#absences.calculatedSize }
  }

  peek(key: string): Remembered | undefined {
    const kept = this.#values.get(key) ?? this.#absences.get(key)
    if (kept === undefined) return undefined
    const { current } = this.#generations
    if (kept.checked !== current) {
      if (!this.#generations.isCurrent(key, kept.checked)) {
        this.#forget(key)
        return undefined
      }
      kept.checked = current
    }
    return kept.remembered
  }

  async get(key: string): Promise<Remembered | undefined> {
    return this.peek(key)
  }

  async set(key: string, remembered: Remembered): Promise<void> {
    this.#forget(key)
    const { answer } = remembered
    const kept = {
      remembered: { ...remembered, answer: { ...answer, body: alone(answer.body) } },
      checked: remembered.generation,
    }
    const into = answer.kind === 'value' ? this.#values : this.#absences
    into.set(key, kept)
  }

  async delete(key: string): Promise<void> {
    this.#forget(key)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#values.clear()
    this.#absences.clear()
  }

  #forget(key: string): void {
    this.#values.delete(key)
    this.#absences.delete(key)
  }
}

function partition(maxSize: number): LRUCache<string, Kept> {
  return new LRUCache({
    maxSize: Math.max(1, maxSize),
    maxEntrySize: Math.max(1, Math.floor(maxSize * largestShare)),
    sizeCalculation: ({ remembered: { answer } }, key) => overheadBytes + 2 * key.length + answer.body.length,
  })
}

// A view of a larger buffer would keep all of it, and the bound would be a lie.
function alone(body: Buffer): Buffer {
  if (body.buffer.byteLength === body.byteLength) return body
  const own = Buffer.allocUnsafeSlow(body.length)
  body.copy(own)
  return own
}
