import { expect, test } from 'vitest'
import { receiptAnswer } from '../../../src/client/client.ts'
import {
  BadOptions,
  BadPin,
  lookupQuestion,
  lookupWithReceipts,
  MalformedReceipt,
  parseReceipt,
  ReceiptMemory,
  verifyReceipt,
} from '../../../src/client/receipts/receipts.ts'

const pins = [{ name: 'acme', key: 'A'.repeat(43) }]
const question = lookupQuestion('alice.cns')

test('an empty list of pins is a mistake of the program', async () => {
  const verified = verifyReceipt([], { pins: [], question })
  await expect(verified).rejects.toThrow(BadOptions)
  await expect(verified).rejects.toThrow('it is an empty list.')
})

test('an empty list of daemons is a mistake of the program', async () => {
  const asked = lookupWithReceipts([], 'alice.cns', { pins })
  await expect(asked).rejects.toThrow(BadOptions)
  await expect(asked).rejects.toThrow('takes a list of 1 to 100 daemons first; it got 0.')
})

test('parseReceipt says that it takes a text', () => {
  const parse = () => parseReceipt({ format: 1 } as unknown as string)
  expect(parse).toThrow(MalformedReceipt)
  expect(parse).toThrow('parseReceipt takes a text')
})

test('the text of a key directory as a key is advised to be parsed', async () => {
  const key = '{"keys":[]}'
  const verified = verifyReceipt([], { pins: [{ name: 'acme', key }], question })
  await expect(verified).rejects.toThrow(BadPin)
  await expect(verified).rejects.toThrow('parse a JWK or a key directory')
})

test('a text that is no memory of receipts has a code', () => {
  expect(() => new ReceiptMemory('x')).toThrow(expect.objectContaining({ code: 'badOption' }))
})

test.each([undefined, { kind: 'refused' }])('receiptAnswer of %j says what it takes', (given) => {
  expect(() => receiptAnswer(given as never)).toThrow(
    expect.objectContaining({
      code: 'badOption',
      message: expect.stringContaining('takes a verdict of the kind verified'),
    }),
  )
})
