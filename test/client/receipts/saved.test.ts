import { expect, test } from 'vitest'
import {
  parseReceipt,
  printReceipt,
  receiptOf,
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

test('a response becomes a file, and the file a receipt that verifies', async () => {
  const { status, headers, body } = receipt.response
  const response = new Response(body, { status, headers: { ...headers, age: '5', server: 'x' } })
  const made = receiptOf(receipt.request, response, new Uint8Array(await response.arrayBuffer()))
  const parsed = parseReceipt(printReceipt(made as MadeReceipt))
  expect(parsed).toEqual(receipt)
  expect(await verifyReceipt(parsed, options)).toMatchObject({ kind: 'current' })
})

test('a response without a signature makes no receipt', () => {
  const response = new Response('{}', { headers: { 'content-type': 'application/json' } })
  expect(receiptOf(receipt.request, response, '{}')).toBeUndefined()
})

test('a question without a path, such as the request of a fetch, makes no receipt', () => {
  const { status, headers, body } = receipt.response
  const sent = new Request('http://127.0.0.1/v0/dso') as unknown as typeof receipt.request
  expect(() => receiptOf(sent, new Response(body, { status, headers }), body)).toThrow('request.path is no')
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
