import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { SpliceError } from '../../base/errors/splice.ts'
import { canonicalJson, type Json } from '../../base/lib/canonical-json.ts'
import type { PageToken, Params, Question } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'

/** The content of a page's token: the time of the page, and the token with which each scan continues it. */
export interface NextPage {
  readonly time: string
  /** By the name of the super validator. */
  readonly tokens: ReadonlyMap<string, PageToken>
}

type TokenRequest = Readonly<Record<string, unknown>>

/** The format of the tokens. A later format has another number. */
const version = 1
const nonceBytes = 12
const tagBytes = 16
/** The most bytes of the scans' own tokens in a token, enough for the threshold of 250 scans. */
const mostBytes = 98_304
const longestSealed = 4 * Math.ceil((1 + nonceBytes + mostBytes + 1_024 + tagBytes) / 3)

/**
 * Seals the page tokens of the scans that agreed on a page into one token for callers, and opens it
 * again (quorum.md#page-by-page). A token is encrypted and authenticated, and belongs to one read,
 * one network, and one request but for its `page_size`. The same page of the same scans has the same
 * token.
 */
export class PageTokens {
  readonly #key: Buffer
  readonly #nonceKey: Buffer

  /** @param secret daemons with the same secret open each other's tokens. */
  constructor(secret?: string) {
    const material = secret ?? randomBytes(32)
    const keys = Buffer.from(hkdfSync('sha256', material, '', 'page tokens of bft-scan-proxy', 64))
    this.#key = keys.subarray(0, 32)
    this.#nonceKey = keys.subarray(32)
  }

  seal(question: Question, dso: string, { time, tokens }: NextPage): string {
    const bound = boundTo(question.read.id, dso, question.page?.body ?? bodyIn(question.params))
    const plain = Buffer.from(JSON.stringify({ time, tokens: fitting(tokens) }))
    const nonce = createHmac('sha256', this.#nonceKey).update(bound).update(plain).digest()
    const head = Buffer.concat([Buffer.of(version), nonce.subarray(0, nonceBytes)])
    const cipher = createCipheriv('aes-256-gcm', this.#key, head.subarray(1))
    cipher.setAAD(bound)
    const sealed = Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    return sealed.toString('base64url')
  }

  /**
   * Returns the question whose page token, if it has one, is opened: it asks for the page of that
   * time, with the token of each scan.
   * @throws SpliceError `unknownPageToken`
   */
  open(question: Question, dso: string): Question {
    const { read, params, page } = question
    if (read.pages === undefined || page !== undefined) return question
    const { after, ...body } = bodyIn(params)
    if (after === undefined) return question
    const next = typeof after === 'string' ? this.#opened(after, boundTo(read.id, dso, body)) : undefined
    if (next === undefined) throw new SpliceError('unknownPageToken')
    const pinned = canonicalJson({ ...body, record_time: next.time, record_time_match: 'exact' } as Json)
    return { read, params: { ...params, [bodyParam]: pinned }, page: { tokens: next.tokens, body } }
  }

  #opened(text: string, bound: Buffer): NextPage | undefined {
    if (text.length > longestSealed) return undefined
    const sealed = Buffer.from(text, 'base64url')
    if (sealed.length <= 1 + nonceBytes + tagBytes || sealed[0] !== version) return undefined
    if (sealed.toString('base64url') !== text) return undefined
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(1, 1 + nonceBytes), {
      authTagLength: tagBytes,
    })
    decipher.setAAD(bound)
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    try {
      const plain = Buffer.concat([
        decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)),
        decipher.final(),
      ])
      const { time, tokens } = JSON.parse(plain.toString())
      return { time, tokens: new Map(tokens) }
    } catch {
      return undefined
    }
  }
}

function bodyIn(params: Params): TokenRequest {
  return JSON.parse(params[bodyParam] ?? '{}')
}

function boundTo(read: string, dso: string, { page_size: _, ...body }: TokenRequest): Buffer {
  return Buffer.from(canonicalJson({ version, read, dso, body } as Json))
}

/**
 * Returns the shortest tokens, as many as one token may hold, so that long ones of liars push out no others.
 * Their order does not depend on who was heard first, because daemons with one secret give the same.
 */
function fitting(tokens: NextPage['tokens']): readonly (readonly [string, PageToken])[] {
  const all = [...tokens].map((entry) => ({ entry, length: Buffer.byteLength(JSON.stringify(entry)) + 1 }))
  all.sort((a, b) => a.length - b.length || (a.entry[0] < b.entry[0] ? -1 : 1))
  let bytes = 0
  return all.flatMap(({ entry, length }) => {
    bytes += length
    return bytes <= mostBytes ? [entry] : []
  })
}
