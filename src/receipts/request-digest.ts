import { base64UrlOf } from '../lib/base64.ts'
import { digest } from '../lib/digest.ts'
import { MalformedField, parseDictionary } from '../lib/structured-fields.ts'
import { contentDigestField } from './receipt-field.ts'

/** The longest `content-digest` of a request that is read, in characters. */
const longestHeader = 512

/**
 * Returns the `content-digest` of a request, which its receipt covers. The value is the caller's header, or
 * is made from the body if the caller sent no such header. Undefined if the caller's header is malformed, is
 * too long, or does not contain the SHA-256 of the body.
 */
export function requestDigestOf(body: Uint8Array, header: string | undefined): string | undefined {
  const actual = digest(body)
  if (header === undefined) return contentDigestField(actual)
  return sha256In(header) === actual ? header.trim() : undefined
}

/** Returns the base64url SHA-256 in a `content-digest`. Undefined if the header has none or is malformed. */
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
