import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { lookupQuestion, lookupWithReceipts, verifyReceipt } from '../../../src/client/receipts/receipts.ts'
import { onLoopback } from '../../support/on-loopback.ts'
import { nameBody, testKey } from '../../support/receipt-signer.ts'
import { startSigningServer } from '../../support/signing-server.ts'

const one = testKey('one')
const two = testKey('two')
const three = testKey('three')
const pins = [
  { name: 'one', key: one.jwk },
  { name: 'two', key: two.jwk },
  { name: 'three', key: three.jwk },
]
const name = 'alice.unverified.cns'
const mallory = nameBody.replace('alice::1220ab', 'mallory::1220cd')

test('two of three daemons that agree are enough, and their receipts can be shown to others', async () => {
  await using first = await startSigningServer(one)
  await using second = await startSigningServer(two)
  await using liar = await startSigningServer(three, { body: mallory })
  const { verdict, receipts, unheard } = await lookupWithReceipts([first, second, liar], name, { pins, k: 2 })
  expect(verdict).toMatchObject({
    kind: 'current',
    says: expect.stringContaining('This is false only if both daemons lie, or if all the super validators'),
    statements: [{ daemon: 'one', body: { entry: { user: 'alice::1220ab' } } }, { daemon: 'two' }],
    others: [{ kind: 'statement', daemon: 'three' }],
  })
  expect({ receipts: receipts.length, unheard }).toEqual({ receipts: 3, unheard: [] })
  expect(first.asked[0]).toMatchObject({ 'accept-signature': 'receipt=();tag="bft-scan-receipt"' })
  expect(await verifyReceipt(receipts, { pins, k: 2, question: lookupQuestion(name) })).toEqual(verdict)
})

test('daemons that are silent, hang or do not exist are named, and do not count', async () => {
  await using good = await startSigningServer(one)
  await using silent = await startSigningServer(two, { silent: true })
  await using hanging = await startSigningServer(three, { hangs: true })
  const gone = await startSigningServer(three)
  await gone[Symbol.asyncDispose]()
  const { verdict, unheard } = await lookupWithReceipts([good, silent, hanging, gone], name, {
    pins,
    k: 2,
    timeoutMs: 1_000,
  })
  expect(verdict).toMatchObject({ kind: 'refused', reason: 'tooFewKeys' })
  expect(unheard).toEqual([
    {
      url: silent.url,
      says: `${silent.url} answers 200 and gives no receipt`,
      code: 'noReceipt',
      retryable: false,
    },
    {
      url: hanging.url,
      says: `${hanging.url} gave no complete answer within 1000 ms`,
      code: 'unreachable',
      retryable: true,
    },
    {
      url: gone.url,
      says: expect.stringContaining(`nobody answers at ${gone.url}`),
      code: 'unreachable',
      retryable: true,
    },
  ])
})

test('nobody at any address is told from daemons that answer and do not vouch', async () => {
  const gone = await startSigningServer(three)
  await gone[Symbol.asyncDispose]()
  await using silent = await startSigningServer(two, { silent: true })
  const offline = await lookupWithReceipts([gone], name, { pins })
  expect(offline.verdict).toMatchObject({
    kind: 'refused',
    reason: 'nobodyAnswers',
    says: expect.stringMatching(/^No daemon answers, .* nobody answers at http/i),
  })
  const { verdict } = await lookupWithReceipts([gone, silent], name, { pins })
  expect(verdict).toMatchObject({ kind: 'refused', reason: 'tooFewKeys' })
  expect(verdict.says).toContain(` ${silent.url} answers 200`)
})

test.each([
  [{ 'x-bft-error': 'noConsensus' }, 'noConsensus', true],
  [{ 'x-bft-error': 'unknownPath' }, 'unknownPath', false],
  [{}, 'misunderstood', true],
])('an error with the headers %j has a code, and says whether to retry', async (headers, code, retryable) => {
  const failing = createServer((_, response) => response.writeHead(502, headers).end('{"error":"No."}'))
  using server = await onLoopback(failing)
  const url = `http://127.0.0.1:${server.port}`
  const { unheard } = await lookupWithReceipts([{ url }], name, { pins })
  expect(unheard).toEqual([{ url, says: `${url} answers 502: No`, code, retryable }])
})

test('an answer that is longer than any name is not read to its end', async () => {
  await using endless = await startSigningServer(one, { body: JSON.stringify({ text: 'x'.repeat(2 ** 21) }) })
  const { unheard } = await lookupWithReceipts([endless], name, { pins })
  expect(unheard).toMatchObject([{ says: expect.stringContaining('more than 1048576 bytes') }])
})

test('a caller that aborts gets its own reason', async () => {
  await using hanging = await startSigningServer(one, { hangs: true })
  const source = new AbortController()
  const lookup = lookupWithReceipts([hanging], name, { pins, signal: source.signal })
  source.abort(new Error('enough'))
  await expect(lookup).rejects.toThrow('enough')
})

test.each([
  ['alice.unverified.cns', '/api/scan/v0/ans-entries/by-name/alice.unverified.cns'],
  ['a/../b?c#d', '/api/scan/v0/ans-entries/by-name/a%2F..%2Fb%3Fc%23d'],
  ['alice::1220ab', '/api/scan/v0/ans-entries/by-party/alice%3A%3A1220ab'],
])('the question for %s has one path', (what, path) => {
  expect(lookupQuestion(what)).toEqual({ method: 'GET', path })
})
