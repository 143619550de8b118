import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { TransportFault } from './node.ts'

const minimumCapacity = 16_384

/** How much memory beyond a quarter more than its own size a body may hold on to: the headers it came with, mostly. */
const toleratedSlack = 4096

/**
 * A body as it arrives, never more than `maxBytes` of it. One chunk is kept as it is; further ones are copied
 * together at once, for a chunk of one byte costs a hundred in memory.
 */
export class BodyCollector {
  readonly #maxBytes: number
  readonly #expected: number | undefined
  #store: Buffer | undefined
  #copied = false
  #length = 0

  /** `expected` is the announced length, not above `maxBytes`. */
  constructor(maxBytes: number, expected?: number) {
    this.#maxBytes = maxBytes
    this.#expected = expected
  }

  /** False, and nothing kept, where the chunk would lead beyond the limit. */
  add(chunk: Buffer): boolean {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) return false
    if (this.#store === undefined) {
      this.#store = chunk
    } else {
      this.#store = this.#withRoomFor(length, this.#store)
      this.#store.set(chunk, this.#length)
    }
    this.#length = length
    return true
  }

  /** The whole body, in memory of about its own size. */
  take(): Buffer {
    if (this.#store === undefined) return Buffer.alloc(0)
    const body = this.#store.subarray(0, this.#length)
    return body.buffer.byteLength > 1.25 * body.length + toleratedSlack ? copied(body, body.length) : body
  }

  #withRoomFor(length: number, store: Buffer): Buffer {
    if (this.#copied && store.length >= length) return store
    const roomy = Math.min(this.#maxBytes, Math.max(2 * length, minimumCapacity))
    this.#copied = true
    return copied(store.subarray(0, this.#length), Math.max(length, this.#expected ?? roomy))
  }
}

/** In memory of its own, not in a piece of the pool that a short-lived neighbour would be kept by. */
function copied(data: Buffer, capacity: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(capacity)
  copy.set(data)
  return copy
}

/** What a decoder tells: exactly one of `decoded` and `failed`, unless it is destroyed first; `drained` after a `write` that gave false. */
export interface DecoderEvents {
  decoded(body: Buffer): void
  failed(fault: TransportFault, detail: string): void
  drained(): void
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** Undoes one content coding piece by piece, off the thread, and stops within a piece of `maxBytes`. */
export class BodyDecoder {
  readonly #stream: Transform
  readonly #collector: BodyCollector

  private constructor(stream: Transform, maxBytes: number, events: DecoderEvents) {
    this.#stream = stream
    this.#collector = new BodyCollector(maxBytes)
    stream
      .on('data', (chunk: Buffer) => {
        if (this.#collector.add(chunk)) return
        this.destroy()
        events.failed('oversized', `more than ${maxBytes} bytes when decoded`)
      })
      .on('drain', () => events.drained())
      .on('end', () => {
        // zlib ends by itself where bytes follow what it decodes, and would leave the rest of the body unread.
        if (stream.writableEnded && stream.writableLength === 0) events.decoded(this.#collector.take())
        else events.failed('not-json', 'bytes after the encoded body')
      })
      .on('error', (error: NodeJS.ErrnoException) =>
        events.failed(
          error.code === 'Z_BUF_ERROR' ? 'truncated' : 'not-json',
          `${error.message} (${error.code})`,
        ),
      )
  }

  /** Undefined for a coding, in lower case, that is not undone here. */
  static tryCreate(coding: string, maxBytes: number, events: DecoderEvents): BodyDecoder | undefined {
    const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    return create === undefined ? undefined : new BodyDecoder(create(), maxBytes, events)
  }

  /** False where no more should be written before `drained`. */
  write(chunk: Buffer): boolean {
    return this.#stream.write(chunk)
  }

  end(): void {
    this.#stream.end()
  }

  destroy(): void {
    this.#stream.destroy()
  }
}
