import { LRUCache } from 'lru-cache'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import type { InvalidationLog, InvalidationPoint } from './invalidation-log.ts'
import type { Remembered, SyncStore } from './store.ts'

interface KeptAnswer {
  readonly remembered: Remembered
  checked: InvalidationPoint
}

export interface MemoryStoreOptions {
  readonly maxBytes: number
}

/** The share of `maxBytes` that is reserved for absences (quorum.md#cost-is-bounded). */
const absenceShare = 1 / 4
/** The largest share of a partition that one answer may take. A larger answer is not stored. */
const largestShare = 1 / 2
const overheadBytes = 1024
const heardBytes = 128

/**
 * Stores answers in this process, and drops the least recently used ones when full. Absences have a
 * partition of their own, so that requests for made-up names cannot displace values.
 */
export class MemoryStore implements SyncStore {
  readonly peeksAll = true
  readonly #values: LRUCache<string, KeptAnswer>
  readonly #absences: LRUCache<string, KeptAnswer>
  readonly #invalidations: InvalidationLog

  constructor(
    { maxBytes }: MemoryStoreOptions,
    { invalidations }: { readonly invalidations: InvalidationLog },
  ) {
    const absenceBytes = Math.floor(maxBytes * absenceShare)
    this.#values = partition(maxBytes - absenceBytes)
    this.#absences = partition(absenceBytes)
    this.#invalidations = invalidations
  }

  get bytes(): { readonly values: number; readonly absences: number } {
    return { values: this.#values.calculatedSize, absences: this.#absences.calculatedSize }
  }

  peek(key: string): Remembered | undefined {
    const kept = this.#values.get(key) ?? this.#absences.get(key)
    if (kept === undefined) return undefined
    const { current } = this.#invalidations
    if (kept.checked !== current) {
      if (!this.#invalidations.isCurrent(key, kept.checked)) {
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
      remembered: { ...remembered, answer: { ...answer, body: withOwnBuffer(answer.body) } },
      checked: remembered.point,
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

function partition(maxSize: number): LRUCache<string, KeptAnswer> {
  return new LRUCache({
    maxSize: Math.max(1, maxSize),
    maxEntrySize: Math.max(1, Math.floor(maxSize * largestShare)),
    sizeCalculation: ({ remembered: { answer } }, key) =>
      overheadBytes +
      2 * key.length +
      answer.body.length +
      heardBytes * (answer.provenance?.heard.length ?? 0),
  })
}

/**
 * Copies a body that is part of a larger buffer. Otherwise the body would keep the whole buffer in
 * memory, and `maxBytes` would count only the body.
 */
function withOwnBuffer(body: Buffer): Buffer {
  return body.buffer.byteLength === body.byteLength ? body : ownBytes(body)
}
