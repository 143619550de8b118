import { base64UrlOf } from '../lib/base64.ts'
import { digest } from '../lib/digest.ts'
import { MalformedField, parseDictionary } from '../lib/structured-fields.ts'
import { contentDigestField } from './receipt-field.ts'

const longestHeader = 512

/**
 * Returns the `content-digest` that the receipt of a request covers: the caller's header, or one
 * made from the body if there is none. Undefined if the header is malformed, too long, or lacks the
 * SHA-256 of the body.
 */
export function requestDigestOf(body: Uint8Array, header: string | undefined): string | undefined {
  const actual = digest(body)
  if (header === undefined) return contentDigestField(actual)
  return sha256In(header) === actual ? header.trim() : undefined
}

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
