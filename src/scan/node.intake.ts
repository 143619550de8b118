import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { ownBytes } from '../lib/own-bytes.ts'
import type { Reservation } from './in-flight-budget.ts'
import type { ScanRequest, TransportFault } from './node.ts'

/**
 * A body with more than `freeChunks` chunks needs `minimumChunkBytes` per chunk on average. A node
 * could otherwise waste the daemon's time with tiny chunks, because every chunk costs a call.
 */
const freeChunks = 1024
const minimumChunkBytes = 64

export interface IntakeDeps {
  readonly controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>
  readonly room: Reservation
  /**
   * The intake calls exactly one of these methods, or neither if the owner drops the intake first.
   */
  readonly owner: {
    whole(body: Buffer): void
    failed(fault: TransportFault, detail: string): void
  }
}

/**
 * Receives the body of a response: decodes it, and stores each piece as soon as the budget has
 * bytes for it. While the budget has none, the intake does not read on.
 */
export class Intake {
  readonly #maxBytes: number
  readonly #deps: IntakeDeps
  readonly #collector: BodyCollector
  #decoder: BodyDecoder | undefined
  #chunks = 0
  #received = 0
  #early: Buffer | undefined
  #isEnded = false

  constructor(
    { maxBytes }: Pick<ScanRequest, 'maxBytes'>,
    length: number | undefined,
    coding: string | undefined,
    deps: IntakeDeps,
  ) {
    this.#maxBytes = maxBytes
    this.#deps = deps
    this.#collector = new BodyCollector({ maxBytes, expected: coding === undefined ? length : undefined })
    if (length !== undefined && length > maxBytes) {
      deps.owner.failed('oversized', `announces ${length} bytes, the limit is ${maxBytes}`)
    } else if (coding !== undefined) {
      this.#decode(coding)
    } else if (length !== undefined && !deps.room.growTo(length)) {
      deps.controller.pause()
    }
  }

  write(chunk: Buffer): void {
    const { controller, owner } = this.#deps
    this.#received += chunk.length
    if (++this.#chunks > freeChunks && this.#received < this.#chunks * minimumChunkBytes) {
      owner.failed('oversized', `${this.#chunks} chunks for ${this.#received} bytes`)
    } else if (this.#decoder === undefined) {
      this.#keep(chunk, controller)
    } else if (this.#received > this.#maxBytes) {
      this.#failOversized('')
    } else if (!this.#decoder.write(chunk)) {
      controller.pause()
    }
  }

  end(): void {
    this.#isEnded = true
    if (this.#decoder !== undefined) this.#decoder.end()
    else if (this.#early === undefined) this.#complete()
  }

  resume(): void {
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.#collector.add(early)
    if (this.#decoder !== undefined) this.#decoder.resume()
    else if (this.#isEnded) this.#complete()
    else this.#deps.controller.resume()
  }

  drop(): void {
    this.#decoder?.destroy()
    this.#early = undefined
  }

  #decode(coding: string): void {
    const { controller, owner } = this.#deps
    const decoder = BodyDecoder.tryCreate(coding, {
      decoded: (chunk) => this.#keep(chunk, decoder as BodyDecoder),
      ended: () => this.#complete(),
      failed: (fault, detail) => owner.failed(fault, detail),
      drained: () => {
        if (!this.#isEnded) controller.resume()
      },
    })
    this.#decoder = decoder
    if (decoder === undefined) owner.failed('not-json', 'a content coding that was not asked for')
  }

  #keep(chunk: Buffer, source: { pause(): void }): void {
    const size = this.#collector.sizeWith(chunk)
    if (size === undefined) {
      this.#failOversized(this.#decoder === undefined ? '' : ' when decoded')
    } else if (this.#early !== undefined) {
      this.#deps.owner.failed('busy', 'more came before there was room')
    } else if (this.#deps.room.growTo(size)) {
      this.#collector.add(chunk)
    } else {
      this.#early = chunk
      source.pause()
    }
  }

  #complete(): void {
    this.#deps.owner.whole(this.#collector.take())
  }

  #failOversized(when: string): void {
    this.#deps.owner.failed('oversized', `more than ${this.#maxBytes} bytes${when}`)
  }
}

export class WholeResponse {
  readonly kind = 'response'
  readonly status: number
  readonly body: Buffer
  readonly resent: boolean
  readonly #room: Reservation

  constructor(
    { status, body, resent }: Pick<WholeResponse, 'status' | 'body' | 'resent'>,
    room: Reservation,
  ) {
    this.status = status
    this.body = body
    this.resent = resent
    this.#room = room
  }

  release(): void {
    this.#room.settle(0)
  }
}

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

/**
 * The last event is `ended` or `failed`. A decoder that is destroyed first reports neither.
 * `drained` follows a `write` that returned false.
 */
export interface DecoderEvents {
  decoded(chunk: Buffer): void
  ended(): void
  failed(fault: TransportFault, detail: string): void
  drained(): void
}

const decoders: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

export class BodyDecoder {
  readonly #stream: Transform

  private constructor(stream: Transform, events: DecoderEvents) {
    this.#stream = stream
    stream
      .on('data', (chunk: Buffer) => {
        if (!stream.destroyed) events.decoded(chunk)
      })
      .on('drain', () => events.drained())
      .on('end', () => {
        // If other bytes follow the encoded data, zlib emits `end` too early and leaves the rest of
        // the body unread.
        if (stream.writableEnded && stream.writableLength === 0) events.ended()
        else events.failed('not-json', 'bytes after the encoded body')
      })
      .on('error', (error: NodeJS.ErrnoException) =>
        events.failed(
          error.code === 'Z_BUF_ERROR' ? 'truncated' : 'not-json',
          `${error.message} (${error.code})`,
        ),
      )
  }

  static tryCreate(coding: string, events: DecoderEvents): BodyDecoder | undefined {
    const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    return create === undefined ? undefined : new BodyDecoder(create(), events)
  }

  write(chunk: Buffer): boolean {
    return this.#stream.write(chunk)
  }

  end(): void {
    this.#stream.end()
  }

  /** Stops decoding until `resume`. One chunk that is already being decoded may still arrive. */
  pause(): void {
    this.#stream.pause()
  }

  resume(): void {
    this.#stream.resume()
  }

  destroy(): void {
    this.#stream.destroy()
  }
}
