import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { TransportFault } from './node.ts'

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
