import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ReceiptJob, signReceipt } from '../../src/receipts/sign-receipt.ts'
import { SigningDispatch } from '../../src/receipts/signing-dispatch.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { SigningQueue } from '../../src/receipts/signing-queue.ts'
import { ManualClock } from '../support/manual-clock.ts'

const key = newSigningKey()
const digest = 'A'.repeat(43)

function jobFor(path: string, body: ReceiptJob['body'] = '{}'): ReceiptJob {
  return {
    request: { method: 'GET', path, query: '', contentDigest: undefined },
    status: 200,
    body,
    stated: { at: 1, asOf: undefined, roster: digest, trust: digest, votes: digest, isShared: false },
    quorum: 'agreed=1',
    agreed: '"sv-a"',
    terms: { created: 1, expires: 2, keyid: key.keyid },
  }
}

test('the first 200 receipts of a second are made at once, the others on a thread, and all are right', async () => {
  const clock = new ManualClock()
  await using queue = new SigningQueue()
  const signer = new SigningDispatch({ clock, queue })
  const made = Array.from({ length: 1_000 }, (_, at) => signer.sign(jobFor(`/${at}`), key.privateKey))
  expect(made.filter((one) => one instanceof Promise)).toHaveLength(800)
  const all = await Promise.all(made)
  for (const [at, one] of all.entries()) expect(one).toEqual(signReceipt(jobFor(`/${at}`), key.privateKey))
  clock.advance(1_000)
  expect(signer.sign(jobFor('/'), key.privateKey)).not.toBeInstanceOf(Promise)
})

test('a thread that fails for another reason than a body is reported, and the next receipt is made', async () => {
  const failures: unknown[] = []
  await using queue = new SigningQueue({ failed: (why) => failures.push(why) })
  expect(await queue.sign(jobFor('/', '{'), key.privateKey)).toBeUndefined()
  expect(failures).toEqual([])
  expect(await queue.sign(jobFor('/'), createPublicKey(key.privateKey))).toBeUndefined()
  expect(failures).toEqual([expect.any(Error)])
  expect(await queue.sign(jobFor('/'), key.privateKey)).toBeDefined()
})

test('receipts beyond the limit of waiting ones are not made, and no caller waits for them', async () => {
  await using queue = new SigningQueue()
  const made = Array.from({ length: 10_300 }, () => queue.sign(jobFor('/'), key.privateKey))
  const all = await Promise.all(made)
  const missing = all.filter((one) => one === undefined).length
  expect(missing).toBeGreaterThan(0)
  expect(missing).toBeLessThan(300)
})

test('a queue that is closed leaves the waiting answers without a receipt', async () => {
  const failures: unknown[] = []
  const queue = new SigningQueue({ failed: (why) => failures.push(why) })
  const made = [queue.sign(jobFor('/a'), key.privateKey), queue.sign(jobFor('/b'), key.privateKey)]
  await queue[Symbol.asyncDispose]()
  expect(await Promise.all(made)).toEqual([undefined, undefined])
  expect(await queue.sign(jobFor('/'), key.privateKey)).toBeUndefined()
  expect(failures).toEqual([])
})
