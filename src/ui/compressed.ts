import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

/** A response body, and the headers that tell how it is encoded. */
export interface EncodedText {
  readonly body: string | Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A text that is compressed at most once: when the first browser that accepts gzip gets it. */
export class Compressible {
  readonly text: string
  #zipped: Buffer<ArrayBuffer> | undefined

  constructor(text: string) {
    this.text = text
  }

  for(acceptEncoding: string | undefined): EncodedText {
    if (!takesGzip(acceptEncoding)) return { body: this.text, headers: { vary: 'accept-encoding' } }
    this.#zipped ??= gzipSync(this.text)
    return { body: this.#zipped, headers: { vary: 'accept-encoding', 'content-encoding': 'gzip' } }
  }
}

/**
 * Makes a compressor for a stream, whose output can be decompressed after every write. A text that hardly differs
 * from an earlier one shrinks to some bytes. The window is small, about 48 KiB of memory, because every open page
 * has a compressor of its own.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}
