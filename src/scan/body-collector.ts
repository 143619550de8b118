import { ownBytes } from '../lib/own-bytes.ts'

const minimumCapacity = 16_384

/**
 * A body of n bytes may stay in a buffer of up to 1.25 n plus this number of bytes. A body in a
 * larger buffer is copied. The slack is mostly the HTTP headers that arrived with the body.
 */
const toleratedSlack = 4096

export interface Lengths {
  readonly maxBytes: number
  readonly expected?: number | undefined
}

/**
 * Collects the chunks of one body. Chunks after the first are copied into one buffer, because a
 * buffer for each chunk costs a hundred bytes even for one byte.
 */
export class BodyCollector {
  readonly #lengths: Lengths
  #store: Buffer = Buffer.alloc(0)
  #length = 0

  constructor(lengths: Lengths) {
    this.#lengths = lengths
  }

  /**
   * Returns the bytes of memory that this body needs with `chunk`. The result is undefined if the
   * body would be longer than `maxBytes`.
   */
  sizeWith(chunk: Buffer): number | undefined {
    const length = this.#length + chunk.length
    if (length > this.#lengths.maxBytes) return undefined
    if (this.#length === 0 || length <= this.#store.length) return Math.max(length, this.#store.length)
    return capacityFor(length, this.#lengths)
  }

  /** Returns false, and stores nothing, if the body would be longer than `maxBytes`. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.#lengths.maxBytes) return false
    if (this.#length === 0) this.#store = chunk
    else {
      if (length > this.#store.length) this.#grow(capacityFor(length, this.#lengths))
      this.#store.set(chunk, this.#length)
    }
    this.#length = length
    return true
  }

  take(): Buffer {
    const body = this.#store.subarray(0, this.#length)
    const isRoomy = body.buffer.byteLength > 1.25 * this.#length + toleratedSlack
    return isRoomy ? ownBytes(body) : body
  }

  /** The new buffer does not come from Node's pool, in which several buffers share memory. */
  #grow(capacity: number): void {
    const store = Buffer.allocUnsafeSlow(capacity)
    store.set(this.#store.subarray(0, this.#length))
    this.#store = store
  }
}

function capacityFor(length: number, { maxBytes, expected }: Lengths): number {
  const roomy = Math.min(maxBytes, Math.max(2 * length, minimumCapacity))
  return Math.max(length, expected ?? roomy)
}
