import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

export class Compressible {
  readonly #content: string | Buffer<ArrayBuffer>
  #zipped: Buffer<ArrayBuffer> | undefined

  constructor(content: string | Buffer<ArrayBuffer>) {
    this.#content = content
  }

  for(acceptEncoding: string | undefined) {
    if (!takesGzip(acceptEncoding)) return { body: this.#content, headers: { vary: 'accept-encoding' } }
    this.#zipped ??= gzipSync(this.#content)
    return { body: this.#zipped, headers: { vary: 'accept-encoding', 'content-encoding': 'gzip' } }
  }
}

/**
 * The flush after every write lets the browser decompress each event at once. The small window
 * keeps the memory of each stream at about 48 KiB.
 */
export function streamingGzip(): Gzip {
  return createGzip({ flush: constants.Z_SYNC_FLUSH, windowBits: 14, memLevel: 5 })
}
