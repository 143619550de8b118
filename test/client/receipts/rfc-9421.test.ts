import { expect, test } from 'vitest'
import { parseDictionary } from '../../../src/base/lib/structured-fields.ts'
import { componentList, signatureBase } from '../../../src/base/receipt-format/signature-base.ts'
import { verifyByNoble } from '../../../src/client/receipts/ed25519.noble.ts'
import { checkSignature, verifyByWebCrypto } from '../../../src/client/receipts/ed25519.ts'

const key = Uint8Array.from(Buffer.from('JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs', 'base64url'))

const components = [
  ['"date"', 'Tue, 20 Apr 2021 02:07:55 GMT'],
  ['"@method"', 'POST'],
  ['"@path"', '/foo'],
  ['"@authority"', 'example.com'],
  ['"content-type"', 'application/json'],
  ['"content-length"', '18'],
] as const

const field =
  'sig-b26=:wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==:'

test.each([
  ['WebCrypto', verifyByWebCrypto],
  ['@noble/ed25519', verifyByNoble],
])('the example of RFC 9421, appendix B.2.6, verifies by %s', async (_, engine) => {
  const member = parseDictionary(field).get('sig-b26')
  if (member === undefined || !('bare' in member) || member.bare.type !== 'bytes') throw new Error('no bytes')
  const parameters = `${componentList(components)};created=1618884473;keyid="test-key-ed25519"`
  const check = (text: string) =>
    checkSignature(
      key,
      (member.bare as { value: Uint8Array<ArrayBuffer> }).value,
      new TextEncoder().encode(text),
      engine,
    )
  expect(await check(signatureBase(components, parameters))).toBe('valid')
  expect(await check(signatureBase(components, `${parameters};alg="ed25519"`))).toBe('invalid')
})
