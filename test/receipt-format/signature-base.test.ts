import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { signatureBase } from '../../src/receipt-format/signature-base.ts'

// The key is from RFC 9421, appendix B.1.4. The signature is from appendix B.2.6.
const pem = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIJ+DYvh6SEqVTm50DFtMDoQikTmiCqirVv9mWG9qfSnF
-----END PRIVATE KEY-----
`
const params =
  '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"'
const signature = 'wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw=='

test('the example of RFC 9421, appendix B.2.6, has the base and the signature that the appendix gives', () => {
  const base = signatureBase(
    [
      ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
      ['"@method"', 'POST'],
      ['"@path"', '/foo'],
      ['"@authority"', 'example.com'],
      ['"content-type"', 'application/json'],
      ['"content-length"', '18'],
    ],
    params,
  )
  expect(base).toBe(
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
      `"@signature-params": ${params}`,
    ].join('\n'),
  )
  const key = createPrivateKey(pem)
  expect(sign(null, Buffer.from(base), key).toString('base64')).toBe(signature)
  const verified = verify(null, Buffer.from(base), createPublicKey(key), Buffer.from(signature, 'base64'))
  expect(verified).toBe(true)
})
