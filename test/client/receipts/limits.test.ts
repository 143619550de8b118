import { describe, expect, test } from 'vitest'
import {
  type SavedReceipt,
  type VerifyOptions,
  verifyReceipt,
} from '../../../src/client/receipts/receipts.ts'
import { agreedAt, madeReceipt, nameBody, testKey } from '../../support/receipt-signer.ts'

const [one, two] = [testKey('one'), testKey('two')] as const
const receipt = madeReceipt(one)
const options: VerifyOptions = {
  pins: [
    { name: 'a', key: one.jwk },
    { name: 'b', key: two.jwk },
  ],
  question: receipt.request,
  now: new Date(agreedAt * 1000),
}

describe('no receipt is left out silently', () => {
  const other = madeReceipt(two, { body: nameBody.replace('alice::1220ab', 'mallory::1220cd') })

  test('100 receipts are verified, and one that differs is seen at any place', async () => {
    const given = [...Array<SavedReceipt>(99).fill(receipt), other]
    expect(await verifyReceipt(given, options)).toMatchObject({ kind: 'refused', reason: 'valuesDiffer' })
  })

  test('more than 100 are refused, and the sentence says why', async () => {
    const given = [...Array<SavedReceipt>(100).fill(receipt), other]
    expect(await verifyReceipt(given, options)).toEqual({
      kind: 'refused',
      reason: 'tooManyReceipts',
      says: 'A verification takes at most 100 receipts, and not 101.',
      others: [],
    })
  })

  test('a gap in the list is a malformed receipt', async () => {
    const given: SavedReceipt[] = []
    given[1] = receipt
    expect(await verifyReceipt(given, options)).toMatchObject({
      kind: 'current',
      others: [{ kind: 'refused', reason: 'malformed' }],
    })
  })

  test('the sentence says how many of the keys in a receipt are considered', async () => {
    const pins = [{ name: 'a', key: one.keyid }]
    const among = (before: number) =>
      verifyReceipt({ ...receipt, keys: [...Array(before).fill(two.jwk), one.jwk] }, { ...options, pins })
    expect(await among(15)).toMatchObject({ kind: 'current' })
    expect(await among(16)).toMatchObject({
      reason: 'keyNotGiven',
      says: expect.stringMatching(/is not among the first 16 keys of the receipt: give the whole key\.$/),
    })
  })
})

test('an engine verifies a signature only by true, and by no other value', async () => {
  for (const said of ['no', 1, { valid: false }, null, undefined, false])
    expect(await verifyReceipt(receipt, { ...options, engine: async () => said as boolean })).toMatchObject({
      reason: 'badSignature',
    })
})
