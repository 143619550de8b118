import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import type { Budget, Growing } from './in-flight-budget.ts'
import type { TransportFault } from './node.ts'

/**
 * A body with more than `freeChunks` chunks needs `minimumChunkBytes` per chunk on average. A node
 * could otherwise waste the daemon's time with tiny chunks, because every chunk costs a call.
 */
const freeChunks = 1024
const minimumChunkBytes = 64

const minimumCapacity = 16_384

/**
 * A body of n bytes may stay in a buffer of up to 1.25 n plus this number of bytes. A body in a
 * larger buffer is copied. The slack is mostly the HTTP headers that arrived with the body.
 */
const toleratedSlack = 4096

/** One of these methods is called once, unless `release` ends the body first. */
export interface BodyOwner {
  whole(): void
  failed(fault: TransportFault, detail: string): void
}

interface Pausable {
  pause(): void
  resume(): void
}

const nothing = Buffer.alloc(0)

/**
 * The response to one request, with its body, from the time at which the request reserves bytes
 * until they are released. The body is decoded, and each piece is stored as soon as the budget has
 * bytes for it. While the budget has none, the body is not read on.
 */
export class IncomingBody implements Growing {
  readonly kind = 'response'
  status = 0
  resent = false
  /** The bytes of its node's budget that the request holds. */
  held: number
  wanted = 0
  hasWaited = false
  readonly #budget: Budget
  readonly #maxBytes: number
  readonly #owner: BodyOwner
  #controller: Pausable | undefined
  #decoder: Transform | undefined
  /** The length that the node announced for a body without content coding. */
  #announced: number | undefined
  /** The whole body, when it has arrived. Its bytes do not share memory with those of another response. */
  body: Buffer = nothing
  #length = 0
  #chunks = 0
  #received = 0
  /** A piece that the budget has no bytes for yet. */
  #early: Buffer | undefined
  #isEnded = false
  #isSettled = false

  constructor(budget: Budget, held: number, maxBytes: number, owner: BodyOwner) {
    this.#budget = budget
    this.held = held
    this.#maxBytes = maxBytes
    this.#owner = owner
  }

  begin(controller: Pausable, status: number, headers: Dispatcher.ResponseData['headers']): void {
    this.#controller = controller
    this.status = status
    const { 'content-length': announced, 'content-encoding': coding } = headers
    const length = typeof announced === 'string' ? Number(announced) : undefined
    const named = coding?.toString().toLowerCase()
    if (length !== undefined && length > this.#maxBytes) {
      this.#owner.failed('oversized', `announces ${length} bytes, the limit is ${this.#maxBytes}`)
    } else if (named !== undefined && named !== 'identity') {
      this.#decode(named, controller)
    } else {
      this.#announced = length
      if (length !== undefined && !this.#growTo(length)) controller.pause()
    }
  }

  write(chunk: Buffer, controller: Pausable): void {
    this.#received += chunk.length
    if (++this.#chunks > freeChunks && this.#received < this.#chunks * minimumChunkBytes) {
      this.#owner.failed('oversized', `${this.#chunks} chunks for ${this.#received} bytes`)
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

  /** Gives back all bytes, and ends a body that is not whole yet. */
  release(): void {
    this.#decoder?.destroy()
    this.#early = undefined
    this.#settle(0)
  }

  granted(): void {
    this.#take()
    // The call is deferred, because undici may be in a callback for another connection, whose bytes
    // were just freed. That callback should return first.
    queueMicrotask(() => {
      if (!this.#isSettled) this.#resume()
    })
  }

  /**
   * Asks the budget for as many more bytes as the request needs to hold `bytes` in total. Returns
   * true if they are reserved now; otherwise the budget calls `granted` later.
   */
  #growTo(bytes: number): boolean {
    if (bytes <= this.held) return true
    this.wanted = bytes - this.held
    const isGranted = this.#budget.grow(this)
    if (isGranted) this.#take()
    else this.hasWaited = true
    return isGranted
  }

  #take(): void {
    this.held += this.wanted
    this.wanted = 0
  }

  #settle(bytes: number): void {
    this.#isSettled = true
    const spare = this.held - bytes
    this.held = bytes
    this.wanted = 0
    this.#budget.freeBytes(spare, this)
  }

  #resume(): void {
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.#add(early)
    if (this.#decoder !== undefined) this.#decoder.resume()
    else if (this.#isEnded) this.#complete()
    else this.#controller?.resume()
  }

  #decode(coding: string, controller: Pausable): void {
    const decoder = tryDecoder(coding, {
      decoded: (chunk) => this.#keep(chunk, decoder as Transform),
      ended: () => this.#complete(),
      failed: (fault, detail) => this.#owner.failed(fault, detail),
      drained: () => {
        if (!this.#isEnded) controller.resume()
      },
    })
    this.#decoder = decoder
    if (decoder === undefined) this.#owner.failed('not-json', 'a content coding that was not asked for')
  }

  #keep(chunk: Buffer, source: Pick<Pausable, 'pause'>): void {
    const length = this.#length + chunk.length
    if (length > this.#maxBytes) {
      this.#failOversized(this.#decoder === undefined ? '' : ' when decoded')
    } else if (this.#early !== undefined) {
      this.#owner.failed('busy', 'more came before there was room')
    } else if (this.#growTo(this.#capacityFor(length))) {
      this.#add(chunk)
    } else {
      this.#early = chunk
      source.pause()
    }
  }

  /**
   * The first chunk stays where it is. Chunks after it are copied into one buffer, because a buffer
   * for each chunk costs a hundred bytes even for one byte.
   */
  #add(chunk: Buffer): void {
    const length = this.#length + chunk.length
    if (this.#length === 0) this.body = chunk
    else {
      if (length > this.body.length) this.#enlarge(this.#capacityFor(length))
      this.body.set(chunk, this.#length)
    }
    this.#length = length
  }

  /** The new buffer does not come from Node's pool, in which several buffers share memory. */
  #enlarge(capacity: number): void {
    const store = Buffer.allocUnsafeSlow(capacity)
    store.set(this.body.subarray(0, this.#length))
    this.body = store
  }

  #capacityFor(length: number): number {
    if (this.#length === 0 || length <= this.body.length) return Math.max(length, this.body.length)
    const roomy = Math.min(this.#maxBytes, Math.max(2 * length, minimumCapacity))
    return Math.max(length, this.#announced ?? roomy)
  }

  #complete(): void {
    const body = this.body.subarray(0, this.#length)
    const isRoomy = body.buffer.byteLength > 1.25 * this.#length + toleratedSlack
    this.body = isRoomy ? ownBytes(body) : body
    this.#decoder = undefined
    this.#settle(this.#length)
    this.#owner.whole()
  }

  #failOversized(when: string): void {
    this.#owner.failed('oversized', `more than ${this.#maxBytes} bytes${when}`)
  }
}

interface DecoderEvents {
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

/**
 * Creates the stream that decodes a body; undefined for an unknown coding. The last event is `ended`
 * or `failed`. A stream that is destroyed first reports neither. One chunk that is already being
 * decoded may still arrive after `pause`.
 */
function tryDecoder(coding: string, events: DecoderEvents): Transform | undefined {
  const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  const stream = create?.()
  return stream
    ?.on('data', (chunk: Buffer) => {
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
