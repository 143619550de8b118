import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

/** A response body, and the headers that tell how it is encoded. */
export interface EncodedText {
  readonly body: string | Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A text that is compressed only when the first browser that accepts gzip asks for it, and only once. */
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
 * Makes a compressor for a stream. The browser can decompress the stream after every write. A text that hardly differs
 * from an earlier one shrinks to some bytes. Each open page has its own compressor, with a small window: it
 * takes only about 48 KiB of memory.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}
