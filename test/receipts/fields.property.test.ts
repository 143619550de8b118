import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverable } from '../../src/base/receipt-format/receipt-components.ts'
import { requestDigestOf, wantedLabel } from '../../src/receipts/receipt-desk.ts'

const labels = fc.stringMatching(/^[a-z*][a-z0-9_.*-]{0,63}$/)

test('any label may be asked for, with any of the components that a receipt covers', () => {
  fc.assert(
    fc.property(labels, fc.subarray([...coverable]), (label, components) => {
      const header = `${label}=(${components.join(' ')});created;tag="bft-scan-receipt"`
      expect(wantedLabel(header, 'k')).toBe(label)
    }),
  )
})

test('no text makes the parser of accept-signature throw, and without the tag there is no label', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        labels.map((label) => `${label}=()`),
      ),
      (text) => {
        if (!text.includes('bft-scan-')) expect(wantedLabel(text, 'k')).toBeUndefined()
      },
    ),
  )
})

test('a request is for the first receipt that this daemon can make among other signatures', () => {
  const header =
    'a=();tag="other", b=("@authority");tag="bft-scan-receipt", c=();tag="bft-scan-receipt";keyid="k"'
  expect(wantedLabel(header, 'k')).toBe('c')
  expect(wantedLabel(header, 'another')).toBeUndefined()
  expect(wantedLabel(`${'x'.repeat(65)}=();tag="bft-scan-receipt"`, 'k')).toBeUndefined()
})

test("the digest of a request's body is the caller's text if it is right, and undefined if it is not", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string(), (body, text) => {
      const made = requestDigestOf(body, undefined) as string
      expect(requestDigestOf(body, made)).toBe(made)
      expect(requestDigestOf(body, `sha-512=:AAAA:,  ${made}`)).toBe(`sha-512=:AAAA:,  ${made}`)
      expect(requestDigestOf(Buffer.concat([body, Buffer.of(0)]), made)).toBeUndefined()
      if (!text.includes('sha-256')) expect(requestDigestOf(body, text)).toBeUndefined()
    }),
  )
})
