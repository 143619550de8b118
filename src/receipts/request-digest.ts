import { base64UrlOf } from '../lib/base64.ts'
import { digest } from '../lib/digest.ts'
import { MalformedField, parseDictionary } from '../lib/structured-fields.ts'
import { contentDigestField } from './receipt-field.ts'

/** The longest `content-digest` of a request that a receipt covers, in characters. */
const longestHeader = 512

/**
 * Returns the `content-digest` of a request for its receipt: the caller's own if the body has that digest, or that of the
 * body if the caller sent none. Undefined if the caller's digest is not that of the body, or names no SHA-256.
 */
export function requestDigestOf(body: Uint8Array, header: string | undefined): string | undefined {
  const actual = digest(body)
  if (header === undefined) return contentDigestField(actual)
  return sha256In(header) === actual ? header.trim() : undefined
}

/** Returns the SHA-256 that a `content-digest` names, in base64url. */
function sha256In(header: string): string | undefined {
  if (header.length > longestHeader) return undefined
  try {
    const member = parseDictionary(header).get('sha-256')
    if (member === undefined || 'items' in member) return undefined
    return member.bare.type === 'bytes' ? base64UrlOf(member.bare.value) : undefined
  } catch (error) {
    if (error instanceof MalformedField) return undefined
    throw error
  }
}
