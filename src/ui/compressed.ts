import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

/** A body with the headers that say how it is encoded. */
export interface EncodedText {
  readonly body: string | Buffer<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

/** A text that is compressed once, when somebody takes it so. */
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
 * A compressor whose every write can be decompressed at once. Its window lets a text that hardly differs from an earlier
 * one shrink to some bytes. It takes about 48 KiB, because every open page has its own.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}
