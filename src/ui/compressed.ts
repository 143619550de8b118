import { constants, createGzip, type Gzip, gzipSync } from 'node:zlib'
import { takesGzip } from '../lib/accepted-codings.ts'

export class Compressible {
  readonly text: string
  #zipped: Buffer<ArrayBuffer> | undefined

  constructor(text: string) {
    this.text = text
  }

  for(acceptEncoding: string | undefined) {
    if (!takesGzip(acceptEncoding)) return { body: this.text, headers: { vary: 'accept-encoding' } }
    this.#zipped ??= gzipSync(this.text)
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
