import { expect, test } from 'vitest'
import {
  parseReceipt,
  printReceipt,
  receiptOf,
  type VerifyOptions,
  verifyReceipt,
} from '../../../src/client/receipts/receipts.ts'
import { agreedAt, type MadeReceipt, madeReceipt, testKey } from '../../support/receipt-signer.ts'

const key = testKey('one')
const receipt = madeReceipt(key)
const options = {
  pins: [{ name: 'one', key: key.jwk }],
  question: receipt.request,
  now: new Date(agreedAt * 1000),
}

test.each<[string, Partial<VerifyOptions>, string]>([
  ['a key that is no key', { pins: [{ name: 'one', key: 'abc' }] }, 'The key of one is no key id'],
  [
    'a private or other JWK',
    { pins: [{ name: 'one', key: { kty: 'EC' } as never }] },
    'The key of one is no public JWK of Ed25519, and no key directory with one; a receipt is neither.',
  ],
  ['no whole k', { k: 1.5 }, 'The option k of a verification must be a whole number from 1'],
  [
    'a time that is none',
    { now: new Date('never') },
    'The option now of a verification must be a valid Date',
  ],
  ['a question without a path', { question: { method: 'GET', path: 'alice' } }, 'request.path is no'],
])('%s is a mistake of the caller, and rejects', async (_, wrong, text) => {
  await expect(verifyReceipt(receipt, { ...options, ...wrong })).rejects.toThrow(text)
})

test('a response becomes a file, and the file a receipt that verifies', async () => {
  const { status, headers, body } = receipt.response
  const response = new Response(body, { status, headers: { ...headers, age: '5', server: 'x' } })
  const made = receiptOf(receipt.request, response, new Uint8Array(await response.arrayBuffer()))
  const parsed = parseReceipt(printReceipt(made as MadeReceipt))
  expect(parsed).toEqual(receipt)
  expect(await verifyReceipt(parsed, options)).toMatchObject({ kind: 'verified' })
})

test('a response without a signature makes no receipt', () => {
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } })
  expect(receiptOf(receipt.request, response, '{}')).toBeUndefined()
})

test.each([
  ['', 'it is not JSON'],
  ['{"format":1,"format":1}', 'a key is repeated'],
  ['[]', 'the receipt is no object'],
  [
    JSON.stringify({ ...receipt, request: { method: 'PUT', path: '/' } }),
    'request.method is neither GET nor POST',
  ],
  [
    JSON.stringify({ ...receipt, response: { ...receipt.response, headers: { A: 'b' } } }),
    'not in lower case',
  ],
  [
    JSON.stringify({ ...receipt, response: { ...receipt.response, headers: { a: 'b\nc' } } }),
    'no line of ASCII',
  ],
])('the file %j is refused with its reason', (text, why) => {
  expect(() => parseReceipt(text)).toThrow(why)
})
