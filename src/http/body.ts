import { SpliceError } from '../errors/splice.ts'
import { bytes } from '../lib/bytes.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { canonicalBody } from '../reads/question.ts'
import type { RequestBody } from '../reads/read.ts'

/** No body is longer, unless a read says so. */
const longest = 65_536

/**
 * A JSON object whose named members are strings, null or absent; other members are ignored.
 * @throws SpliceError 400, 413 or 415.
 */
export async function readJsonBody(
  request: Request,
  strings: readonly string[],
): Promise<Readonly<Record<string, string | undefined>>> {
  const body = await readObject(request, longest)
  const taken: Record<string, string | undefined> = {}
  for (const name of strings) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new SpliceError('malformedBody', { why: `${name} is not a string` })
    taken[name] = value
  }
  return taken
}

/**
 * The canonical text of a body that is part of a question.
 * @throws SpliceError 400, 413 or 415; what its schema throws.
 */
export async function readQuestion(request: Request, body: RequestBody): Promise<string> {
  return canonicalBody(body, await readObject(request, bytes(body.maxBytes)))
}

/**
 * The texts of these members, each a list of strings.
 * @throws SpliceError 400, 413 or 415.
 */
export async function readTexts(request: Request, members: readonly string[]): Promise<ReadonlySet<string>> {
  const body = await readObject(request, longest)
  return new Set(members.flatMap((name) => textsIn(body[name], name)))
}

function textsIn(list: unknown, name: string): readonly string[] {
  if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return list
  throw new SpliceError('malformedBody', { why: `${name} is not a list of strings` })
}

async function readObject(request: Request, maxBytes: number): Promise<{ readonly [key: string]: unknown }> {
  const contentType = request.headers.get('content-type')
  if (contentType !== null && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new SpliceError('unsupportedContentType')
  }
  const sent = await readBytes(request, maxBytes)
  if (sent.length === 0) throw new SpliceError('missingBody')
  return parse(sent)
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

/** @throws SpliceError `bodyTooLarge` */
export async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const said = request.headers.get('content-length')
  if (Number(said ?? 0) > maxBytes) throw tooLarge(maxBytes)
  // What says how long it is needs no stream, which costs as much as the rest of a request.
  if (said !== null) return new Uint8Array(await request.arrayBuffer())
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body) {
    length += chunk.length
    if (length > maxBytes) throw tooLarge(maxBytes)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(limit: number): SpliceError {
  return new SpliceError('bodyTooLarge', { limit })
}
