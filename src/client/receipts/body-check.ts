import { canonicalJson, type Json, MisshapenJson, parseJson } from '../../lib/canonical-json.ts'
import { contentDigestOf, textDigest } from './content-digest.ts'
import { ReceiptRefusal } from './refusals.ts'
import type { SavedReceipt } from './saved-receipt.ts'

export async function requireBody(receipt: SavedReceipt): Promise<void> {
  const { headers, body } = receipt.response
  const signed = headers['content-digest']?.trim() ?? ''
  if (!/^sha-256=:[A-Za-z\d+/]{43}=:$/.test(signed)) throw new ReceiptRefusal('noBodyDigest')
  if (signed === (await contentDigestOf(body))) return
  throw new ReceiptRefusal((await isReencoded(receipt)) ? 'reencoded' : 'bodyAltered')
}

/**
 * Whether the body is the signed JSON value, only written differently, such as with other spaces.
 * The signature is not verified yet, so the result may only choose the reason of the refusal.
 */
async function isReencoded({ response: { headers, body } }: SavedReceipt): Promise<boolean> {
  try {
    const value = parseJson(body.replace(/^\uFEFF/, ''))
    const digest = await contentDigestOf(canonicalJson(value))
    return headers['x-bft-receipt']?.includes(digest.replace('sha-256', 'value')) === true
  } catch (error) {
    if (error instanceof MisshapenJson) return false
    throw error
  }
}

export function signedBody({ response: { body } }: SavedReceipt): Json {
  try {
    return parseJson(body)
  } catch (error) {
    if (error instanceof MisshapenJson)
      throw new ReceiptRefusal('malformed', { why: `its body: ${error.message}` })
    throw error
  }
}

export async function requireValue(body: Json, value: string): Promise<void> {
  if ((await textDigest(canonicalJson(body))) !== value) throw new ReceiptRefusal('otherValue')
}
