import { createHash, createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digest, hmacWith } from '../../src/lib/digest.ts'

test('a digest is SHA-256 in 43 characters of base64url', () => {
  expect(digest('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU')
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      expect(digest(data)).toBe(createHash('sha256').update(data).digest('base64url'))
      expect(digest(data)).toMatch(/^[\w-]{43}$/)
    }),
  )
})

test('a text has the digest of its UTF-8', () => {
  expect(digest('é😀')).toBe(digest(Buffer.from('é😀')))
})

test('an HMAC is that of Node', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.string({ unit: 'binary' }), (secret, text) => {
      const expected = createHmac('sha256', secret).update(text, 'utf16le').digest('base64url')
      expect(hmacWith(secret)(text)).toBe(expected)
    }),
  )
})

test('the secret of an HMAC is at most a block long', () => {
  expect(() => hmacWith(Buffer.alloc(65))).toThrow(RangeError)
})
