import { canonicalJson, type Json, MisshapenJson, parseJson } from '../../lib/canonical-json.ts'
import { contentDigestOf, textDigest } from './content-digest.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { SavedReceipt } from './saved-receipt.ts'

/**
 * Checks that the body has the digest in `content-digest`.
 * @throws ReceiptRefusal `noBodyDigest`, `reencoded`, `bodyAltered`
 */
export async function requireBody({ response: { headers, body } }: SavedReceipt): Promise<void> {
  const signed = headers['content-digest']?.trim() ?? ''
  if (!/^sha-256=:[A-Za-z\d+/]{43}=:$/.test(signed)) throw new ReceiptRefusal('noBodyDigest')
  if (signed === (await contentDigestOf(body))) return
  throw new ReceiptRefusal((await isReencoded(body, signed)) ? 'reencoded' : 'bodyAltered')
}

/** Whether the body is the signed JSON in other characters: with spaces, a byte order mark, or escapes. */
async function isReencoded(body: string, signed: string): Promise<boolean> {
  try {
    const value = parseJson(body.replace(/^\uFEFF/, ''))
    const texts = [JSON.stringify(value), canonicalJson(value)]
    const digests = await Promise.all(texts.map(contentDigestOf))
    return digests.includes(signed)
  } catch (error) {
    if (error instanceof MisshapenJson) return false
    throw error
  }
}

/**
 * Parses the body of a receipt.
 * @throws ReceiptRefusal
 */
export function signedBody({ response: { body } }: SavedReceipt): Json {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof MisshapenJson)
      throw new ReceiptRefusal('malformed', { why: `its body: ${error.message}` })
    throw error
  }
}

/**
 * Checks the digest of the body's canonical form, by which receipts of several daemons are compared.
 * @throws ReceiptRefusal
 */
export async function requireValue(body: Json, value: string): Promise<void> {
  if ((await valueDigest(body)) !== value) throw new ReceiptRefusal('otherValue')
}

/** Computes the digest of a body's canonical form. */
export function valueDigest(body: Json): Promise<string> {
  return textDigest(canonicalJson(body))
}
