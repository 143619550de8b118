import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib'
import { codingFor } from '../lib/accepted-codings.ts'
import { digest } from '../lib/digest.ts'

/** A long body in the encodings that it is sent in. */
export interface Encoded {
  /** A weak tag, because all encodings of the content share it. */
  readonly etag: string
  readonly br: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
const expand = promisify(gunzip)
/** Above it brotli takes several times as long for a few percent. */
const brotliQuality = 6

/** Compresses a body, on other threads. The result takes the place of the body, which can be forgotten. */
export async function encode(body: string): Promise<Encoded> {
  const bytes = Buffer.from(body)
  const [br, zipped] = await Promise.all([
    compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    compress.gzip(bytes),
  ])
  return { etag: `W/"${digest(bytes)}"`, br, gzip: zipped }
}

/** Returns the body as the request's `accept-encoding` wants it, with the headers that say so. */
export async function encodedFor(
  { br, gzip, etag }: Encoded,
  acceptEncoding: string | undefined,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }> {
  const coding = codingFor(acceptEncoding)
  const headers = { etag, vary: 'accept-encoding' }
  if (coding === 'identity') return { body: await expand(gzip), headers }
  return { body: coding === 'br' ? br : gzip, headers: { ...headers, 'content-encoding': coding } }
}
