import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { codingFor } from '../../base/lib/accepted-codings.ts'
import { digest } from '../../base/lib/digest.ts'
import { InPortions } from '../../base/lib/in-portions.ts'

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

const turns = new InPortions()

/** Resolves at once for a compressed body. Of the long ones, few are written in one turn of the event loop. */
export async function encodedFor({ bodies, etag }: Encoded, acceptEncoding: string | undefined) {
  const coding = codingFor(acceptEncoding)
  if (coding === 'identity') await new Promise<void>((resolve) => turns.add([resolve]))
  const encoding = coding === 'identity' ? {} : { 'content-encoding': coding }
  return { body: bodies[coding], headers: { etag, vary: 'accept-encoding', ...encoding } }
}
