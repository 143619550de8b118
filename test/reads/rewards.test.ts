import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { getRewardAccountingBatch } from '../../src/core/reads/rewards.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const leaf = 'ed6ee3ffaa91c7141b5d554ef97d94797fd4dc9b704c3bd37b26f4b2e23233e9'
const root = '8888d4765e6ef10798ff61de30e41890aaede9fb87f769760b83b67aa1ac75d0'

function allowances(...amounts: readonly string[]) {
  const providers = ['alice::provider', 'bob::provider']
  return {
    batch_type: 'BatchOfMintingAllowances',
    minting_allowances: amounts.map((amount, at) => ({ provider: providers[at], amount })),
  }
}

function isProven(value: object, hash: string): boolean | undefined {
  return getRewardAccountingBatch.proves?.(value, { round_number: '7', batch_hash: hash }, sha256)
}

test('a batch of rewards is proven by the hash that it is asked by', () => {
  expect(isProven(allowances('10.0', '0.0'), leaf)).toBe(true)
  expect(isProven({ batch_type: 'BatchOfBatches', child_hashes: [leaf, leaf] }, root)).toBe(true)
})

test.each([
  ['another amount', allowances('10.1', '0.0')],
  ['one allowance fewer', allowances('10.0')],
  ['none', allowances()],
  ['an amount that Daml would not show so', allowances('010.0', '0.0')],
  ['an amount with an exponent', allowances('1E+1', '0.0')],
  ['another kind of batch', { batch_type: 'BatchOfBatches', child_hashes: [leaf] }],
])('%s is not', (_what, value) => {
  expect(isProven(value, leaf)).toBe(false)
})

test('an amount is the same with all its digits', () => {
  expect(isProven(allowances('10.0000000000', '0'), leaf)).toBe(true)
})

test('a text that is no hash proves nothing', () => {
  const joined = { batch_type: 'BatchOfBatches', child_hashes: [`${leaf}|${leaf}`] }
  const hash = sha256(`BatchOfBatches|1|${sha256(`1|${leaf}|${leaf}`)}`)
  expect(isProven(joined, hash)).toBe(false)
})
