import type { Dispatcher } from 'undici'
import { BodyCollector } from './body-collector.ts'
import { BodyDecoder } from './node.decoder.ts'
import type { ScanRequest, TransportFault } from './node.ts'
import type { Reservation } from './reservation.ts'

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
