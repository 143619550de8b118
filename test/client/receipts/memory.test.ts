import { expect, test } from 'vitest'
import { ReceiptMemory, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { agreedAt, madeReceipt, testKey } from '../../support/receipt-signer.ts'

const key = testKey('one')
const now = new Date((agreedAt + 60) * 1000)
const older = madeReceipt(key)
const newer = madeReceipt(key, { created: agreedAt + 30, expires: agreedAt + 3_600 })

function outcome(receipt: typeof older, memory: ReceiptMemory) {
  const pins = [{ name: 'one', key: key.jwk }]
  return verifyReceipt(receipt, { pins, question: receipt.request, now, memory })
}

test('a memory that was kept as text refuses a replayed answer after a restart', async () => {
  const before = new ReceiptMemory()
  expect(await outcome(newer, before)).toMatchObject({ kind: 'current' })
  const after = new ReceiptMemory(before.toText())
  expect(await outcome(older, after)).toMatchObject({ kind: 'refused', reason: 'olderThanSeen' })
  expect(await outcome(newer, after)).toMatchObject({ kind: 'current' })
})

test('a refused receipt is not remembered', async () => {
  const memory = new ReceiptMemory()
  const future = madeReceipt(key, { created: agreedAt + 3_600, expires: agreedAt + 7_200, roster: 'other' })
  expect(await outcome(future, memory)).toMatchObject({ kind: 'refused', reason: 'fromTheFuture' })
  expect(memory.toText()).toBe('[]')
})

test('a receipt that expired is not remembered, and is refused where a newer answer was', async () => {
  const memory = new ReceiptMemory()
  const old = madeReceipt(key, { created: agreedAt - 900, expires: agreedAt - 600 })
  expect(await outcome(old, memory)).toMatchObject({ kind: 'provedThen' })
  expect(memory.toText()).toBe('[]')
  expect(await outcome(newer, memory)).toMatchObject({ kind: 'current' })
  expect(await outcome(old, memory)).toMatchObject({ kind: 'refused', reason: 'olderThanSeen' })
})

test('a memory forgets the oldest questions, so that it stays small', () => {
  const memory = new ReceiptMemory()
  for (let index = 0; index <= 10_000; index++)
    memory.accept(key.keyid, { question: `GET /${index}`, asOf: agreedAt, roster: 'r' })
  expect(memory.newest(key.keyid, 'GET /0')).toBeUndefined()
  expect(memory.newest(key.keyid, 'GET /10000')).toBe(agreedAt)
})

const keptTime = (time: unknown) => JSON.stringify([{ keyid: 'a', roster: 'b', newest: [['q', time]] }])

test.each(['', '{}', '[1]', keptTime('now'), keptTime(253_402_300_800)])(
  'the text %j is no memory',
  (text) => {
    expect(() => new ReceiptMemory(text)).toThrow('This is no memory of receipts.')
  },
)
