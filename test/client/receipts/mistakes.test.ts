import { describe, expect, test } from 'vitest'
import {
  BadPin,
  lookupQuestion,
  lookupWithReceipts,
  parseReceipt,
  printReceipt,
  type ReceiptVerdict,
  verifyReceipt,
} from '../../../src/client/receipts/receipts.ts'
import { startLiveStage } from '../../support/daemon.ts'
import { agreedAt, madeReceipt, nameBody, testKey } from '../../support/receipt-signer.ts'
import { startSigningServer } from '../../support/signing-server.ts'

const [one, two, three] = [testKey('one'), testKey('two'), testKey('three')] as const
const receipt = madeReceipt(one)
const options = {
  pins: [{ name: 'one', key: one.jwk }],
  question: receipt.request,
  now: new Date(agreedAt * 1000),
}
const pins = [
  { name: 'a', key: one.jwk },
  { name: 'b', key: two.jwk },
  { name: 'c', key: three.jwk },
]
const name = 'alice.unverified.cns'
const mallory = nameBody.replace('alice::1220ab', 'mallory::1220cd')
const daemons = [{ url: 'http://127.0.0.1:1' }]

const verifying = (wrong: object): Promise<ReceiptVerdict> => verifyReceipt(receipt, { ...options, ...wrong })

describe('an option that verifyReceipt does not know rejects, and the message has the one that is meant', () => {
  test.each([
    [{ roster: ['x'] }, 'rosters'],
    [{ treshold: 9 }, 'threshold'],
    [{ pin: [] }, 'pins'],
    [{ K: 2 }, 'k'],
  ])('%j', async (wrong, meant) => {
    const [given] = Object.keys(wrong)
    await expect(verifying(wrong)).rejects.toMatchObject({
      name: 'BadOptions',
      message: expect.stringContaining(
        `A verification takes no option ${given}; did you mean ${meant}? It takes pins, `,
      ),
    })
  })

  test('also where no known option resembles it', async () => {
    await expect(verifying({ constructor: 1 })).rejects.toThrow(
      'A verification takes no option constructor; it takes pins,',
    )
  })
})

describe('a wrong argument rejects with a sentence that names it', () => {
  test.each<[unknown, string]>([
    [undefined, 'The options of a verification must be an object with pins, '],
    [{ ...options, question: undefined }, 'A verification needs the option question: the question that you'],
    [
      { ...options, question: name },
      "must be the question that you asked, such as lookupQuestion('alice.unverified.cns'); it is a string",
    ],
    [{ ...options, now: 1_795_316_400_000 }, 'must be a valid Date after 1970; it is the number'],
    [{ ...options, memory: {} }, 'The option memory of a verification must be a ReceiptMemory; it is'],
    [
      { ...options, pins: { one: one.jwk } },
      "must be a list of keys, such as [{ name: 'acme', key }]; it is",
    ],
    [{ ...options, pins: undefined }, 'it is undefined.'],
    [{ ...options, pins: [] }, 'it is an empty list.'],
    [{ ...options, pins: [{ name: 'one', key: 'abc' }] }, 'The key of one is no key id'],
    [{ ...options, pins: [{ name: 'one', key: '{"keys":[]}' }] }, 'parse a JWK or a key directory'],
    [{ ...options, question: { method: 'GET', path: 'alice' } }, 'request.path is no'],
    [{ ...options, now: new Date('never') }, 'The option now of a verification must be a valid Date'],
    [
      { ...options, k: 1.5 },
      'The option k of a verification must be a whole number from 1; it is the number 1.5.',
    ],
    [{ ...options, rosters: 'x' }, 'must be a list of digests; it is a string.'],
    [
      { ...options, pins: [one.keyid] },
      "A pin must be an object such as { name: 'acme', key }; pin 1 is a s",
    ],
    [{ ...options, pins: [null] }, 'pin 1 is null.'],
    [{ ...options, pins: [{ key: one.jwk }] }, 'Pin 1 needs a name, which says whose key it is'],
    [{ ...options, pins: [{ name: 'one', jwk: one.jwk }] }, 'A pin has no jwk; it has name, owner and key.'],
    [
      { ...options, pins: [{ name: 'one', key: null }] },
      'The key of one is no public JWK of Ed25519, and no',
    ],
    [
      { ...options, pins: [{ name: 'one', key: { keys: [] } }] },
      'no key directory with one; a receipt is neither.',
    ],
    [
      { ...options, pins: [{ name: 'one', key: { ...receipt, keys: [one.jwk] } }] },
      'no key directory with one; a receipt is neither.',
    ],
    [{ ...options, pins: Array(1) }, 'pin 1 is undefined.'],
  ])('of verifyReceipt: %j', async (given, text) => {
    const error: unknown = await verifyReceipt(receipt, given as typeof options).catch((why: unknown) => why)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain(text)
  })

  test.each<[unknown, unknown, unknown, string]>([
    ['http://127.0.0.1:1', name, { pins }, 'takes a list of 1 to 100 daemons first; it got a string.'],
    [['http://127.0.0.1:1'], name, { pins }, "such as { url: 'https://scan.example.org' }; daemon 1 is a s"],
    [[{ uri: 'x' }], name, { pins }, 'A client needs the url of a daemon, such as http://127.0.0.1:8080.'],
    [
      Array(101).fill(daemons[0]),
      name,
      { pins },
      'lookupWithReceipts takes a list of 1 to 100 daemons first; it got 101.',
    ],
    [[], name, { pins }, 'it got 0.'],
    [daemons, undefined, { pins }, "or a party, such as 'alice.unverified.cns'; it got undefined."],
    [daemons, '', { pins }, 'it got an empty or malformed text.'],
    [daemons, '\ud800', { pins }, 'it got an empty or malformed text.'],
    [daemons, '..', { pins }, 'it got .., which URLs resolve as a relative path.'],
    [daemons, name, undefined, 'The options of a lookup must be an object with pins, '],
    [daemons, name, {}, 'The option pins of a lookup must be a list of keys'],
    [daemons, name, { pins, owners: 2 }, 'A lookup takes no option owners; it takes'],
    [daemons, name, { pins, timeout: 2 }, 'did you mean timeoutMs?'],
    [daemons, name, { pins: ['x'] }, 'pin 1 is a string.'],
  ])('of lookupWithReceipts: %j %j %j', async (given, what, lookup, text) => {
    const promise = lookupWithReceipts(given as typeof daemons, what as string, lookup as typeof options)
    const error: unknown = await promise.catch((why: unknown) => why)
    expect(error).not.toBeInstanceOf(TypeError)
    expect((error as Error).message).toContain(text)
  })

  test('of lookupQuestion', () => {
    expect(() => lookupQuestion(undefined as never)).toThrow('A lookup needs a name or a party')
  })

  test('a pin that is no pin is a BadPin', async () => {
    await expect(verifying({ pins: ['x'] })).rejects.toBeInstanceOf(BadPin)
  })
})

test('a daemon that is asked below the path of an API is named with the address that it should have', async () => {
  await using stage = await startLiveStage()
  const url = `${stage.daemon.http}/api/scan`
  const { verdict } = await lookupWithReceipts([{ url }], name, { pins })
  expect(verdict.says).toContain(`without the path of an API, such as ${stage.daemon.http}.`)
})

describe('a refusal of several receipts says why', () => {
  test('two daemons that contradict each other are named, and their statements are given', async () => {
    await using b = await startSigningServer(two)
    await using c = await startSigningServer(three, { body: mallory })
    const { verdict } = await lookupWithReceipts([b, c], name, { pins, k: 2 })
    expect(verdict).toMatchObject({
      kind: 'refused',
      reason: 'tooFewKeys',
      says: 'Only 1 of the 2 owners that you want vouch for one answer. Note that b and c answer differently.',
      others: [
        { kind: 'statement', daemon: 'b', body: { entry: { user: 'alice::1220ab' } } },
        { kind: 'statement', daemon: 'c', body: { entry: { user: 'mallory::1220cd' } } },
      ],
    })
  })

  test('the owners that agree are named, and the one that differs', async () => {
    const receipts = [madeReceipt(one), madeReceipt(two), madeReceipt(three, { body: mallory })]
    const verdict = await verifyReceipt(receipts, { ...options, pins, k: 3 })
    expect(verdict.says).toContain('Note that a and b answer differently from c.')
    const both = await verifyReceipt(receipts, { ...options, pins, k: 1 })
    expect(both).toMatchObject({ kind: 'refused', reason: 'valuesDiffer', others: { length: 3 } })
    expect(both.says).toContain('a and b answer differently from c.')
  })

  test('a receipt that is refused has its reason, and a daemon that is down is named', async () => {
    await using a = await startSigningServer(one)
    await using expired = await startSigningServer(two, { created: agreedAt, expires: agreedAt + 1 })
    const down = 'http://127.0.0.1:1'
    const { verdict } = await lookupWithReceipts([a, expired, { url: down }], name, { pins, k: 2 })
    expect(verdict.says).toMatch(/^Only 1 of the 2 owners .* Receipt 2 of 2: The receipt expired at /)
    expect(verdict.says).toContain(` Nobody answers at ${down}: HTTP clients never ask this port.`)
    expect(verdict.others).toMatchObject([{ kind: 'statement', daemon: 'a' }, { reason: 'expired' }])
  })

  test('where all are refused, each has its reason', async () => {
    const strange = madeReceipt(testKey('nobody'))
    const verdict = await verifyReceipt([strange, { ...receipt, format: 2 } as never], options)
    expect(verdict).toMatchObject({ kind: 'refused', reason: 'unknownKey', others: { length: 2 } })
    expect(verdict.says).toMatch(
      /^Receipt 1 of 2: The receipt is signed by an unknown key, .* Receipt 2 of 2: This is no receipt/,
    )
  })
})

test('a saved receipt of a lookup brings the keys, so that who pinned an id can verify it', async () => {
  await using server = await startSigningServer(one)
  const token = async () => 'secret'
  const lookup = await lookupWithReceipts([{ url: server.url, token }], name, { pins })
  expect(server.asked[0]).toMatchObject({ authorization: 'Bearer secret' })
  expect(server.asked[1]).not.toHaveProperty('authorization')
  const [saved] = lookup.receipts
  if (saved === undefined) throw new Error('there is no receipt')
  const verdict = await verifyReceipt(parseReceipt(printReceipt(saved)), {
    pins: [{ name: 'one', key: one.keyid }],
    question: lookupQuestion(name),
  })
  expect(verdict.kind).toBe('current')
})

test('the key directory of a daemon is a pin, and its keys count as one owner', async () => {
  const directory = { keys: [{ kty: 'RSA' }, { ...one.jwk, kid: 'x', nbf: 1 }, two.jwk], purpose: 'x' }
  const byDirectory = { ...options, pins: [{ name: 'acme', key: directory }] }
  const both = [madeReceipt(one), madeReceipt(two)]
  expect(await verifyReceipt(both, byDirectory)).toMatchObject({ statements: [{ daemon: 'acme' }] })
  expect(await verifyReceipt(both, { ...byDirectory, k: 2 })).toMatchObject({ reason: 'tooFewKeys' })
})

test('the receipt of an absence says that there is no such name', async () => {
  const body = '{"error":"Did not find a AnsEntry"}'
  const absent = await verifyReceipt(madeReceipt(one, { status: 404, body }), options)
  expect(absent.says).toContain('There is no name alice.unverified.cns as of 2026-')
  const path = '/api/scan/v0/featured-apps/x'
  const other = madeReceipt(one, { status: 404, body, path })
  const verdict = await verifyReceipt(other, { ...options, question: other.request })
  expect(verdict.says).toContain('GET /api/scan/v0/featured-apps/x finds nothing as of ')
})

test('a receipt of a clock that is ahead has a hint to a localnet whose time was advanced', async () => {
  const verdict = await verifying({ now: new Date((agreedAt - 10_000) * 1000) })
  expect(verdict).toMatchObject({ kind: 'refused', reason: 'fromTheFuture' })
  expect(verdict.says).toContain('a localnet whose time was advanced')
})

test('each error of a mistake has a code', async () => {
  const question = lookupQuestion('alice')
  const pin = { name: 'one', key: 'no key' }
  await expect(verifyReceipt([], { pins: [pin], question })).rejects.toMatchObject({ code: 'badPin' })
  await expect(verifyReceipt([], {} as never)).rejects.toMatchObject({ code: 'badOption' })
  expect(() => parseReceipt('{}')).toThrow(expect.objectContaining({ code: 'malformedReceipt' }))
})
