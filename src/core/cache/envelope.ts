import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { digest } from '../../base/lib/digest.ts'
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

export type OpenedEnvelope =
  | { readonly kind: 'enclosed'; readonly enclosed: Enclosed }
  | { readonly kind: 'refused'; readonly reason: RefusalReason }

interface EnvelopeHeader extends Omit<Enclosed, 'answer'> {
  readonly answer: Omit<Answer, 'body' | 'provenance'>
}

const count = z.object({ agreed: z.number(), threshold: z.number(), voters: z.number() })
const answerShape = z.object({
  digest: z.string(),
  agreement: z.object({
    agreed: z.array(z.string()),
    threshold: z.number(),
    asked: z.number(),
    voters: z.number(),
    operators: count.optional(),
    complete: z.boolean(),
    protected: z.boolean(),
  }),
  endsAt: z.number().optional(),
  version: z.string().optional(),
})
const headerShape = z.object({
  key: z.string(),
  answer: z.discriminatedUnion('kind', [
    answerShape.extend({ kind: z.literal('value'), status: z.literal(200) }),
    answerShape.extend({ kind: z.literal('absence'), status: z.int().min(400).max(499) }),
  ]),
  lifetime: z.object({ freshMs: z.number(), staleMs: z.number() }),
  agreedAtWall: z.number(),
  lastsMs: z.number(),
  position: z.string().regex(/^\d+-\d+$/),
})

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
export function open(value: Buffer, key: string, secret?: string): OpenedEnvelope {
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

function refused(reason: RefusalReason): OpenedEnvelope {
  return { kind: 'refused', reason }
}

function seal(data: Buffer, secret: string | undefined): Buffer {
  const hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secret)
  return hash.update(data).digest()
}

function tryHeader(json: string): EnvelopeHeader | undefined {
  try {
    return headerShape.safeParse(JSON.parse(json)).data as EnvelopeHeader | undefined
  } catch {
    return undefined
  }
}
