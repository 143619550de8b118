import type { Dispatcher } from 'undici'
import { BodyCollector } from './body-deduplication.ts'
import { BodyDecoder } from './node.decoder.ts'
import type { ScanRequest, TransportFault } from './node.ts'
import type { Reservation } from './reservation.ts'

/**
 * If a body has more than `freeChunks` chunks, they must have at least `minimumChunkBytes` on average. If
 * they are smaller, the request fails as `oversized`, because every chunk costs the daemon a call, however
 * short it is.
 */
const freeChunks = 1024
const minimumChunkBytes = 64

export interface IntakeDeps {
  readonly controller: Pick<Dispatcher.DispatchController, 'pause' | 'resume'>
  readonly room: Reservation
  /**
   * Receives the outcome. The intake calls exactly one of these methods, or neither if the owner drops the
   * intake first.
   */
  readonly owner: {
    /** Receives the complete body. The owner must drop the collector when it releases the body. */
    whole(body: Buffer, collector: BodyCollector): void
    failed(fault: TransportFault, detail: string): void
  }
}

/**
 * Receives the body of a response: decodes it, and stores each piece as soon as the budget has bytes for it.
 * While the budget has none, the intake does not read on.
 */
export class Intake {
  readonly #maxBytes: number
  readonly #deps: IntakeDeps
  readonly #collector: BodyCollector
  #decoder: BodyDecoder | undefined
  #chunks = 0
  #received = 0
  /** The decoded piece of the body that waits for bytes of the budget. Undefined if no piece waits. */
  #early: Buffer | undefined
  #isEnded = false

  /**
   * Begins to receive a body.
   * @param length the announced length of the body before decoding; undefined if none was announced.
   * @param coding the content coding in lower case; undefined if there is none.
   */
  constructor(
    { maxBytes, alike }: Pick<ScanRequest, 'maxBytes' | 'alike'>,
    length: number | undefined,
    coding: string | undefined,
    deps: IntakeDeps,
  ) {
    this.#maxBytes = maxBytes
    this.#deps = deps
    this.#collector = new BodyCollector(
      { maxBytes, expected: coding === undefined ? length : undefined },
      alike,
    )
    if (length !== undefined && length > maxBytes) {
      deps.owner.failed('oversized', `announces ${length} bytes, the limit is ${maxBytes}`)
    } else if (coding !== undefined) {
      this.#decode(coding)
    } else if (length !== undefined && !deps.room.growTo(length)) {
      deps.controller.pause()
    }
  }

  /**
   * Decodes a chunk and stores the result.
   * @param chunk the bytes as the socket delivered them, not decoded.
   */
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

  /** The owner calls this when the last chunk of the body has arrived. */
  end(): void {
    this.#isEnded = true
    if (this.#decoder !== undefined) this.#decoder.end()
    else if (this.#early === undefined) this.#complete()
  }

  /**
   * Stores the waiting piece, if there is one, and reads on. The owner calls it when the budget has reserved
   * the bytes for which the intake waited.
   */
  resume(): void {
    const early = this.#early
    this.#early = undefined
    if (early !== undefined) this.#collector.add(early)
    if (this.#decoder !== undefined) this.#decoder.resume()
    else if (this.#isEnded) this.#complete()
    else this.#deps.controller.resume()
  }

  /** Stops decoding and frees the stored pieces. The owner calls it when it no longer needs the body. */
  drop(): void {
    this.#decoder?.destroy()
    this.#collector.drop()
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
    this.#deps.owner.whole(this.#collector.take(), this.#collector)
  }

  #failOversized(when: string): void {
    this.#deps.owner.failed('oversized', `more than ${this.#maxBytes} bytes${when}`)
  }
}

/** A response with its whole body. The bytes stay reserved until the response is released. */
export class WholeResponse {
  readonly kind = 'response'
  readonly status: number
  readonly body: Buffer
  readonly resent: boolean
  readonly #room: Reservation
  readonly #collector: BodyCollector

  constructor(
    { status, body, resent }: Pick<WholeResponse, 'status' | 'body' | 'resent'>,
    room: Reservation,
    collector: BodyCollector,
  ) {
    this.status = status
    this.body = body
    this.resent = resent
    this.#room = room
    this.#collector = collector
  }

  release(): void {
    this.#collector.drop()
    this.#room.settle(0)
  }
}
