import { SpliceError } from '../errors/splice.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'

/** No body that a read takes is longer. */
const maxBytes = 65_536

/**
 * A JSON object whose named members are strings, null or absent; other members are ignored.
 * @throws SpliceError 400, 413 or 415.
 */
export async function readJsonBody(
  request: Request,
  strings: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const contentType = request.headers.get('content-type')
  if (contentType !== null && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new SpliceError('unsupportedContentType')
  }
  const bytes = await readBytes(request)
  if (bytes.length === 0) throw new SpliceError('missingBody')
  const body = parse(bytes)
  const taken: Record<string, string | undefined> = {}
  for (const name of strings) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new SpliceError('malformedBody', { why: `${name} is not a string` })
    taken[name] = value
  }
  return taken
}

function parse(bytes: Uint8Array): { readonly [key: string]: unknown } {
  try {
    const value = parseJson(bytes)
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof MisshapenJson)) throw error
    throw new SpliceError('malformedBody', { why: error.message }, { cause: error })
  }
  throw new SpliceError('malformedBody', { why: 'the body is not a JSON object' })
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(): SpliceError {
  return new SpliceError('bodyTooLarge', { limit: maxBytes })
}
