import type { IncomingMessage } from 'node:http'
import { SpliceError } from '../errors/splice.ts'
import { bytesOf } from '../lib/body-bytes.ts'
import { bytes } from '../lib/bytes.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../lib/canonical-json.ts'
import { hasMoreValues, mostValues } from '../lib/json-values.ts'
import { canonicalBody } from '../reads/arguments.ts'
import type { RequestBody } from '../reads/read.ts'

/**
 * The maximum size of a request body in bytes. If the body is part of a question, the limit of the read
 * applies instead (`body.maxBytes` in `reads/`).
 */
const longest = 65_536

/** A callback that receives the bytes of a request body before they are parsed. */
export type TakesBody = (sent: Buffer) => void

/**
 * Reads a JSON body, and returns the fields that `strings` names. Each of these fields must be a string, null
 * or absent. Other fields are ignored.
 * @param heard called with the bytes of the body, before they are parsed.
 * @throws SpliceError 400, 413 or 415.
 */
export async function readJsonBody(
  request: IncomingMessage,
  strings: readonly string[],
  heard?: TakesBody,
): Promise<Readonly<Record<string, string | undefined>>> {
  const body = await readObject(request, longest, heard)
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
 * Reads a body that is part of a question, and returns its canonical JSON.
 * @throws SpliceError 400, 413 or 415, and the errors of the body's schema.
 */
export async function readQuestion(
  request: IncomingMessage,
  body: RequestBody,
  heard?: TakesBody,
): Promise<string> {
  return canonicalBody(body, await readObject(request, bytes(body.maxBytes), heard))
}

/**
 * Reads a JSON body with lists of strings, and returns the strings of all these lists.
 * @param members the names of the fields that must be lists of strings.
 * @throws SpliceError 400, 413 or 415.
 */
export async function readTexts(
  request: IncomingMessage,
  members: readonly string[],
  heard?: TakesBody,
): Promise<ReadonlySet<string>> {
  const body = await readObject(request, longest, heard)
  return new Set(members.flatMap((name) => textsIn(body[name], name)))
}

function textsIn(list: unknown, name: string): readonly string[] {
  if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return list
  throw new SpliceError('malformedBody', { why: `${name} is not a list of strings` })
}

async function readObject(
  request: IncomingMessage,
  maxBytes: number,
  heard?: TakesBody,
): Promise<{ readonly [key: string]: unknown }> {
  const contentType = request.headers['content-type']
  if (contentType !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new SpliceError('unsupportedContentType')
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1] ?? 'utf-8'
  if (!/^utf-?8$/i.test(charset))
    throw new SpliceError('unsupportedEncoding', { part: 'charset', given: charset, expected: 'UTF-8' })
  const sent = await readBytes(request, maxBytes)
  if (sent.length === 0) throw new SpliceError('missingBody')
  heard?.(sent)
  return parseObject(sent)
}

/**
 * Parses a body as a JSON object.
 * @throws SpliceError `malformedBody` (400) if the body is no JSON object, or has too many values.
 */
export function parseObject(sent: Buffer): { readonly [key: string]: unknown } {
  if (hasMoreValues(sent.toString('latin1'), mostValues))
    throw new SpliceError('malformedBody', { why: `more than ${mostValues} values` })
  try {
    const value = parseJson(withoutByteOrderMark(sent))
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof MisshapenJson)) throw error
    throw new SpliceError('malformedBody', { why: error.message }, { cause: error })
  }
  throw new SpliceError('malformedBody', { why: 'the body is not a JSON object' })
}

/**
 * A byte order mark in UTF-8. Some programs write it before JSON, and parsers may skip it (RFC 8259, 8.1).
 */
const byteOrderMark = Buffer.from('\uFEFF')

function withoutByteOrderMark(sent: Buffer): Buffer {
  const { length } = byteOrderMark
  return sent.subarray(0, length).equals(byteOrderMark) ? sent.subarray(length) : sent
}

/**
 * Reads a whole request body.
 * @throws SpliceError `bodyTooLarge` if the body has more than `maxBytes` bytes, `unsupportedEncoding` if it
 * is compressed.
 */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const encoding = request.headers['content-encoding']?.trim() || 'identity'
  if (encoding.toLowerCase() !== 'identity') {
    const given = { part: 'Content-Encoding', given: encoding, expected: 'identity' }
    throw new SpliceError('unsupportedEncoding', given)
  }
  const sent = await bytesOf(request, maxBytes)
  if (sent === undefined) throw new SpliceError('bodyTooLarge', { limit: maxBytes })
  return sent
}
