import type { IncomingMessage } from 'node:http'
import { SpliceError } from '../../base/errors/splice.ts'
import { bytesOf } from '../../base/lib/body-bytes.ts'
import { bytes } from '../../base/lib/bytes.ts'
import { isJsonObject, MisshapenJson, parseJson } from '../../base/lib/canonical-json.ts'
import { hasMoreValues, mostValues } from '../../base/lib/parse-json-text.ts'
import { canonicalBody } from '../../core/reads/canonical-params.ts'
import { checkListLength } from '../../core/reads/param-text.ts'
import type { Read } from '../../core/reads/read.ts'

/**
 * The limit in bytes. A body that is part of a question has the limit of its read instead
 * (`Read.maxBodyBytes`).
 */
const maxBodyBytes = 65_536
/** Two lists of as many contract ids as a request may have, and of some more. */
const maxListsBytes = 524_288

export type OnBody = (sent: Buffer) => void

export async function readJsonBody(
  request: IncomingMessage,
  strings: readonly string[],
  onBody?: OnBody,
): Promise<Readonly<Record<string, string | undefined>>> {
  const body = await readObject(request, maxBodyBytes, onBody)
  const taken: Record<string, string | undefined> = {}
  for (const name of strings) {
    const value = Object.hasOwn(body, name) ? body[name] : undefined
    if (value === undefined || value === null) continue
    if (typeof value !== 'string') throw new SpliceError('malformedBody', { why: `${name} is not a string` })
    taken[name] = value
  }
  return taken
}

export async function readQuestion(
  request: IncomingMessage,
  { body, maxBodyBytes }: Required<Pick<Read, 'body' | 'maxBodyBytes'>>,
  onBody?: OnBody,
): Promise<string> {
  return canonicalBody(body, await readObject(request, bytes(maxBodyBytes), onBody))
}

export async function readTexts(
  request: IncomingMessage,
  members: readonly string[],
  onBody?: OnBody,
): Promise<ReadonlySet<string>> {
  const body = await readObject(request, maxListsBytes, onBody)
  return new Set(members.flatMap((name) => textsIn(body[name], name)))
}

function textsIn(list: unknown, name: string): readonly string[] {
  if (Array.isArray(list)) checkListLength(name, list)
  if (Array.isArray(list) && list.every((text) => typeof text === 'string')) return list
  throw new SpliceError('malformedBody', { why: `${name} is not a list of strings` })
}

async function readObject(
  request: IncomingMessage,
  maxBytes: number,
  onBody?: OnBody,
): Promise<{ readonly [key: string]: unknown }> {
  const contentType = request.headers['content-type'] || undefined
  if (contentType !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType)) {
    throw new SpliceError('unsupportedContentType')
  }
  const charset = charsetOf(contentType)
  if (!/^utf-?8$/i.test(charset))
    throw new SpliceError('unsupportedEncoding', { part: 'charset', given: charset, expected: 'UTF-8' })
  const sent = await readBytes(request, maxBytes)
  if (sent.length === 0) throw new SpliceError('missingBody')
  onBody?.(sent)
  return parseObject(sent)
}

const parameter = /;\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"?|[^;\s]*)/g

function charsetOf(contentType = ''): string {
  for (const [, name = '', value = ''] of contentType.matchAll(parameter))
    if (name.toLowerCase() === 'charset') return value.replaceAll('"', '')
  return 'utf-8'
}

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

/** Some programs write a byte order mark before JSON, and parsers may skip it (RFC 8259, 8.1). */
const byteOrderMark = Buffer.from('\uFEFF')

function withoutByteOrderMark(sent: Buffer): Buffer {
  const { length } = byteOrderMark
  return sent.subarray(0, length).equals(byteOrderMark) ? sent.subarray(length) : sent
}

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
