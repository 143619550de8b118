import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

/** A response body, and the headers that tell the browser how it is encoded. */
export interface EncodedText {
  readonly body: string | Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A response body that is compressed at most once, when the first browser that accepts gzip requests it. */
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
 * Makes a compressor for the event stream of one open page. It flushes after every write, so that the browser
 * can decompress each event at once. A small window keeps the memory of each compressor at about 48 KiB.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}
