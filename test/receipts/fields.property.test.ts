import { createPublicKey, verify } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { coverable, receiptComponents, receiptTag } from '../../src/receipt-format/receipt-components.ts'
import { componentList, signatureBase, signatureParameters } from '../../src/receipt-format/signature-base.ts'
import { requestDigestOf, wantedLabel } from '../../src/receipts/receipt-desk.ts'
import { contentDigestField, receiptField } from '../../src/receipts/receipt-field.ts'
import { type ReceiptJob, receiptHeaders, signReceipt } from '../../src/receipts/sign-receipt.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { parseDictionary } from '../http/structured-fields.ts'

const digests = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((b) => Buffer.from(b).toString('base64url'))
const seconds = fc.integer({ min: 0, max: 4_000_000_000 })
const fields = fc.record({
  at: seconds,
  asOf: fc.option(fc.record({ at: seconds, claim: fc.constantFrom('binding', 'state') }), { nil: undefined }),
  value: digests,
  roster: digests,
  trust: digests,
  votes: digests,
  isShared: fc.boolean(),
})

test('a parser of structured fields reads the values of x-bft-receipt, in canonical form', () => {
  fc.assert(
    fc.property(fields, (field) => {
      const read = parseDictionary(receiptField(field))
      const { at, asOf, isShared, ...bytes } = field
      const base64 = (text: string) => Buffer.from(text, 'base64url').toString('base64')
      const values = Object.entries(bytes).map(([name, text]) => [name, { base64: base64(text) }])
      expect(Object.fromEntries(Object.entries(read).map(([name, { value }]) => [name, value]))).toEqual({
        v: 1,
        at: { date: at },
        ...(asOf && { 'as-of': { date: asOf.at }, claim: { token: asOf.claim } }),
        ...Object.fromEntries(values),
        ...(isShared && { basis: { token: 'shared' } }),
      })
    }),
  )
})

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

const key = newSigningKey()
const job: ReceiptJob = {
  request: { method: 'GET', path: '/v0/x', query: '', contentDigest: undefined },
  status: 200,
  body: '{"b":1,"a":2}',
  stated: {
    at: 1,
    asOf: undefined,
    roster: 'A'.repeat(43),
    trust: 'A'.repeat(43),
    votes: 'A'.repeat(43),
    isShared: false,
  },
  quorum: 'agreed=1',
  agreed: '"sv-a"',
  terms: { created: 1, expires: 2, keyid: key.keyid },
}

test('a receipt signs exactly the base that RFC 9421 makes of its headers', () => {
  const made = signReceipt(job, key.privateKey)
  const { quorum, agreed } = job
  const contentType = 'application/json'
  const covered = receiptComponents(job.request, { ...made, status: 200, contentType, quorum, agreed })
  const params = `${componentList(covered)}${signatureParameters(job.terms, receiptTag)}`
  expect(receiptHeaders(made, 'sig')['signature-input']).toBe(`sig=${params}`)
  const signature = Buffer.from(made.signature.slice(1, -1), 'base64')
  const base = Buffer.from(signatureBase(covered, params))
  expect(verify(null, base, createPublicKey(key.privateKey), signature)).toBe(true)
})

test('text and bytes of one body have the same receipt, and the value does not depend on the order of members', () => {
  const made = signReceipt(job, key.privateKey)
  expect(signReceipt({ ...job, body: Buffer.from(job.body) }, key.privateKey)).toEqual(made)
  const other = signReceipt({ ...job, body: '{"a":2,"b":1}' }, key.privateKey)
  expect(other.receipt).toBe(made.receipt)
  expect(other.contentDigest).not.toBe(made.contentDigest)
  expect(contentDigestField('AAAA')).toBe('sha-256=:AAAA:')
})
