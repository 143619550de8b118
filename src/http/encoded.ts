import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gzip } from 'node:zlib'
import { codingFor } from '../lib/accepted-codings.ts'
import { digest } from '../lib/digest.ts'
import { InPortions } from '../lib/in-portions.ts'

export interface Encoded {
  /** The tag is weak, because the body has the same tag in every encoding. */
  readonly etag: string
  readonly br: Uint8Array<ArrayBuffer>
  readonly gzip: Uint8Array<ArrayBuffer>
}

const compress = { br: promisify(brotliCompress), gzip: promisify(gzip) }
const expand = promisify(gunzip)
/** Higher levels take several times as long, and save only a few percent. */
const brotliQuality = 6

export async function encode(body: string): Promise<Encoded> {
  const bytes = Buffer.from(body)
  const [br, zipped] = await Promise.all([
    compress.br(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
    compress.gzip(bytes),
  ])
  return { etag: `W/"${digest(bytes)}"`, br, gzip: zipped }
}

/**
 * The value is a promise while the body is decompressed, and then a weak reference, so that unused
 * bodies are freed.
 */
const plain = new WeakMap<Encoded, Promise<PlainBody> | WeakRef<PlainBody>>()

type PlainBody = Uint8Array<ArrayBuffer>

/**
 * Concurrent responses share the bytes. Otherwise, a caller could fill the memory with a hundred
 * requests whose responses it does not read.
 */
async function plainBody(encoded: Encoded): Promise<PlainBody> {
  const known = plain.get(encoded)
  const shared = known instanceof WeakRef ? known.deref() : known
  if (shared !== undefined) return shared
  const expanding = expand(encoded.gzip)
  plain.set(encoded, expanding)
  try {
    const body = await expanding
    plain.set(encoded, new WeakRef(body))
    return body
  } catch (error) {
    plain.delete(encoded)
    throw error
  }
}

const turns = new InPortions()

/**
 * Resolves when the caller may go on. Otherwise all responses that wait for one body would be
 * written in the same turn of the event loop.
 */
function turn(): Promise<void> {
  return new Promise((resolve) => turns.add([resolve]))
}

export async function encodedFor(
  encoded: Encoded,
  acceptEncoding: string | undefined,
): Promise<{ readonly body: Uint8Array<ArrayBuffer>; readonly headers: Readonly<Record<string, string>> }> {
  const { br, gzip, etag } = encoded
  const coding = codingFor(acceptEncoding)
  const headers = { etag, vary: 'accept-encoding' }
  if (coding === 'identity') {
    const body = await plainBody(encoded)
    await turn()
    return { body, headers }
  }
  return { body: coding === 'br' ? br : gzip, headers: { ...headers, 'content-encoding': coding } }
}
