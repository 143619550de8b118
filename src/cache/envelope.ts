import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { digest } from '../lib/digest.ts'
import type { Agreement } from './agreement.ts'
import type { Answer, Lifetime } from './answer.ts'
import type { RefusalReason } from './events.ts'

/** An answer as Redis stores it, with the data by which a reader checks it. */
export interface Enclosed {
  readonly key: string
  readonly answer: Answer
  readonly lifetime: Lifetime
  readonly agreedAtWall: number
  /**
   * The age in milliseconds at which Redis deletes the entry. `lastsMs` minus the remaining time to
   * live is the present age, even if the clocks of two machines differ.
   */
  readonly lastsMs: number
  readonly position: string
}

export type Opened =
  | { readonly kind: 'enclosed'; readonly enclosed: Enclosed }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }

interface EnvelopeHeader extends Omit<Enclosed, 'answer'> {
  readonly answer: Omit<Answer, 'body' | 'provenance'>
}

// Layout of an envelope: magic and version, length of the header, header, seal, body. The seal is a
// hash of all bytes before it. The header contains the digest of the body, so the seal also protects
// the body.
const magic = Buffer.from('BFT')
const version = 2
const headerAt = 8
const sealBytes = 32
const maxHeaderBytes = 256 * 1024
export const enclosureBytes = headerAt + maxHeaderBytes + sealBytes

/**
 * Encodes an answer for Redis.
 * @param secret the key of an HMAC-SHA256 seal. Without a key, the seal is a plain SHA-256, which
 * detects accidental damage only.
 */
export function enclose(enclosed: Enclosed, secret?: string): Buffer {
  const { body, provenance: _, ...answer } = enclosed.answer
  const header: EnvelopeHeader = { ...enclosed, answer }
  const json = Buffer.from(JSON.stringify(header))
  const lead = Buffer.alloc(headerAt)
  magic.copy(lead)
  lead.writeUInt8(version, magic.length)
  lead.writeUInt32BE(json.length, magic.length + 1)
  const sealed = Buffer.concat([lead, json])
  return Buffer.concat([sealed, seal(sealed, secret), body])
}

/**
 * Decodes an answer from Redis, or returns the reason why the daemon must not trust it. Never
 * throws.
 */
export function open(value: Buffer, key: string, secret?: string): Opened {
  if (value.length < headerAt || !value.subarray(0, magic.length).equals(magic)) return refused('format')
  if (value[magic.length] !== version) return refused('version')
  const headerEnd = headerAt + value.readUInt32BE(magic.length + 1)
  const bodyAt = headerEnd + sealBytes
  if (headerEnd - headerAt > maxHeaderBytes || bodyAt > value.length) return refused('format')
  const expected = seal(value.subarray(0, headerEnd), secret)
  if (!timingSafeEqual(expected, value.subarray(headerEnd, bodyAt))) return refused('seal')
  const header = tryHeader(value.toString('utf8', headerAt, headerEnd))
  if (header === undefined) return refused('format')
  if (header.key !== key) return refused('key')
  const body = value.subarray(bodyAt)
  if (digest(body) !== header.answer.digest) return refused('digest')
  return { kind: 'enclosed', enclosed: { ...header, answer: { ...header.answer, body } } }
}

function refused(reason: RefusalReason): Opened {
  return { kind: 'refused', reason }
}

function seal(data: Buffer, secret: string | undefined): Buffer {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  return hash.update(data).digest()
}

function tryHeader(json: string): EnvelopeHeader | undefined {
  try {
    const header: unknown = JSON.parse(json)
    return isHeader(header) ? header : undefined
  } catch {
    return undefined
  }
}

function isHeader(value: unknown): value is EnvelopeHeader {
  return (
    isRecord(value) &&
    isText(value['key']) &&
    isAnswer(value['answer']) &&
    isLifetime(value['lifetime']) &&
    isNumber(value['agreedAtWall']) &&
    isNumber(value['lastsMs']) &&
    isText(value['position']) &&
    /^\d+-\d+$/.test(value['position'])
  )
}

function isAnswer(value: unknown): value is EnvelopeHeader['answer'] {
  return (
    isRecord(value) &&
    isStatusOf(value['kind'], value['status']) &&
    isText(value['digest']) &&
    isAgreement(value['agreement']) &&
    (value['endsAt'] === undefined || isNumber(value['endsAt'])) &&
    (value['version'] === undefined || isText(value['version']))
  )
}

function isAgreement(value: unknown): value is Agreement {
  return (
    isRecord(value) &&
    Array.isArray(value['agreed']) &&
    value['agreed'].every(isText) &&
    ['threshold', 'asked', 'voters'].every((name) => isNumber(value[name])) &&
    ['complete', 'protected'].every((name) => typeof value[name] === 'boolean') &&
    (value['operators'] === undefined || isOperators(value['operators']))
  )
}

function isOperators(value: unknown): boolean {
  return isRecord(value) && ['agreed', 'threshold', 'voters'].every((name) => isNumber(value[name]))
}

function isLifetime(value: unknown): value is Lifetime {
  return isRecord(value) && isNumber(value['freshMs']) && isNumber(value['staleMs'])
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isStatusOf(kind: unknown, status: unknown): boolean {
  if (kind === 'value') return status === 200
  return kind === 'absence' && Number.isInteger(status) && Number(status) >= 400 && Number(status) < 500
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}
