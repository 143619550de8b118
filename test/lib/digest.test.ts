import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { digest } from '../../src/base/lib/digest.ts'

test('a digest is SHA-256 in 43 characters of base64url', () => {
  expect(digest('')).toBe('47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU')
  fc.assert(
    fc.property(fc.uint8Array(), (data) => {
      expect(digest(data)).toBe(createHash('sha256').update(data).digest('base64url'))
      expect(digest(data)).toMatch(/^[\w-]{43}$/)
    }),
  )
})
