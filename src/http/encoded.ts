import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { codingFor } from '../lib/accepted-codings.ts'
import { digest } from '../lib/digest.ts'

export interface Encoded {
  /** The tag is weak, because the body has the same tag in every encoding. */
  readonly etag: string
  readonly bodies: Readonly<Record<ReturnType<typeof codingFor>, Uint8Array<ArrayBuffer>>>
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
/** Higher levels take several times as long, and save only a few percent. */
const brotliQuality = 6

export async function encode(body: string): Promise<Encoded> {
  const identity = Buffer.from(body)
  const [br, zipped] = await Promise.all([
    compress.br(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    compress.gzip(identity),
  ])
  return { etag: `W/"${digest(identity)}"`, bodies: { identity, br, gzip: zipped } }
}

export function encodedFor({ bodies, etag }: Encoded, acceptEncoding: string | undefined) {
  const coding = codingFor(acceptEncoding)
  const encoding = coding === 'identity' ? {} : { 'content-encoding': coding }
  return { body: bodies[coding], headers: { etag, vary: 'accept-encoding', ...encoding } }
}
