import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { ReceiptSigner } from '../../src/receipts/receipt-signer.ts'
import { type ReceiptJob, signReceipt } from '../../src/receipts/sign-receipt.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'

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

const long = `{${' '.repeat(4_096)}}`
/** A receipt of so long a body is made on the thread. */
const elsewhere = (path: string, body = long) => jobFor(path, body)

test('a receipt of a short body is made at once, one of a long body on a thread, and both are right', async () => {
  await using signer = new ReceiptSigner()
  for (const [job, isElsewhere] of [
    [jobFor('/'), false],
    [elsewhere('/'), true],
  ] as const) {
    const made = signer.sign(job, key.privateKey)
    expect(made instanceof Promise).toBe(isElsewhere)
    expect(await made).toEqual(signReceipt(job, key.privateKey))
  }
})

test('a thread that fails for another reason than a body is reported, and the next receipt is made', async () => {
  const failures: unknown[] = []
  let lost = 0
  const counted = { failed: (why: Error) => void failures.push(why), notMade: () => void lost++ }
  await using signer = new ReceiptSigner(counted)
  expect(await signer.sign(elsewhere('/', `{${long}`), key.privateKey)).toBeUndefined()
  expect([failures, lost]).toEqual([[], 1])
  expect(await signer.sign(elsewhere('/'), createPublicKey(key.privateKey))).toBeUndefined()
  expect([failures, lost]).toEqual([[expect.any(Error)], 2])
  expect(await signer.sign(elsewhere('/'), key.privateKey)).toBeDefined()
})

test('receipts beyond the limit of waiting ones are not made, and no caller waits for them', async () => {
  await using signer = new ReceiptSigner()
  const made = Array.from({ length: 10_500 }, () => signer.sign(elsewhere('/'), key.privateKey))
  const all = await Promise.all(made)
  const missing = all.filter((one) => one === undefined).length
  expect(missing).toBeGreaterThan(0)
  expect(missing).toBeLessThan(500)
})

test('a signer that is closed leaves the waiting answers without a receipt', async () => {
  const failures: unknown[] = []
  const signer = new ReceiptSigner({ failed: (why) => failures.push(why) })
  const made = [signer.sign(elsewhere('/a'), key.privateKey), signer.sign(elsewhere('/b'), key.privateKey)]
  await signer[Symbol.asyncDispose]()
  expect(await Promise.all(made)).toEqual([undefined, undefined])
  expect(await signer.sign(elsewhere('/'), key.privateKey)).toBeUndefined()
  expect(failures).toEqual([])
})
