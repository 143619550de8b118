import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { TransportFault } from './node.ts'

/** What a decoder tells: `ended` or `failed` at last, unless it is destroyed first; `drained` after a `write` that gave false. */
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

/** Undoes one content coding piece by piece, off the thread. */
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
        // zlib ends by itself where bytes follow what it decodes, and would leave the rest of the body unread.
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

  /** Undefined for a coding, in lower case, that is not undone here. */
  static tryCreate(coding: string, events: DecoderEvents): BodyDecoder | undefined {
    const create = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
    return create === undefined ? undefined : new BodyDecoder(create(), events)
  }

  /** False where no more should be written before `drained`. */
  write(chunk: Buffer): boolean {
    return this.#stream.write(chunk)
  }

  end(): void {
    this.#stream.end()
  }

  /** Nothing is decoded until `resume`, but for what is under way. */
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
