import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { Served } from '../../src/core/cache/answers.ts'
import type { AnswerProvenance, Electors } from '../../src/core/cache/provenance.ts'
import { operatorName } from '../../src/core/scan/roster.ts'
import type { ReceiptWish } from '../../src/receipts/answer-receipts.ts'
import { ReceiptDocuments, rosterDocument } from '../../src/receipts/documents.ts'
import type { CurrentKey } from '../../src/receipts/key-ring.ts'
import { ReceiptDesk } from '../../src/receipts/receipt-desk.ts'
import { type ReceiptJob, signReceipt } from '../../src/receipts/sign-receipt.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { answerOf, minutes } from '../cache/samples.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'

const members = ['sv-1', 'sv-2', 'sv-3'].map((name) => ({ name, urls: [`https://${name}.example`] }))
const electors: Electors = {
  trustDigest: 'A'.repeat(43),
  membership: { dso: 'DSO::1220', synchronizer: 'global', members },
  voters: members.map(({ name }, at) => ({
    names: [name],
    operator: at === 0 ? 'operator acme' : `super validator ${name}`,
    place: { origin: `https://${name}.example` },
  })),
}
const provenance: AnswerProvenance = {
  rule: 'enough',
  electors,
  heard: [
    { outcome: 'value', agrees: true, digest: 'B'.repeat(43), agoMs: 20.5 },
    { outcome: 'timeout', agrees: false, digest: undefined, agoMs: 10 },
  ],
}
const minute = 60_000
const day = 24 * 60 * minute

let clock: ManualClock
let documents: ReceiptDocuments
let desk: ReceiptDesk
let signed: ReceiptJob[]

let current: CurrentKey

beforeEach(() => {
  clock = new ManualClock()
  rotate()
  documents = new ReceiptDocuments({ maxBytes: 1_000_000 })
  signed = []
  desk = new ReceiptDesk(
    { always: false },
    {
      keys: { signing: () => current, listed: () => [] },
      documents,
      electors: () => electors,
      operatorName,
      signer: {
        sign: (job, key) => {
          signed.push(job)
          return signReceipt(job, key)
        },
      },
    },
  )
})

function rotate(): void {
  current = { key: newSigningKey(), nbf: Math.floor(clock.wall() / 1000) }
}

function servedOf(change: Partial<Served> = {}): Served {
  const answer = answerOf('alice', { provenance })
  return { answer, agreedAt: ago(clock), how: 'hit', stored: true, lifetime: minutes, ...change }
}

function wishOf(served: Served, change: Partial<ReceiptWish['request']> = {}): ReceiptWish {
  return {
    label: 'sig',
    question: { read: 'lookupAnsEntryByName', params: { name: 'alice' } },
    request: { method: 'GET', path: '/v0/x', query: '', contentDigest: undefined, ...change },
    served,
    representation: { status: 200, body: served.answer.body, etag: `"${served.answer.digest}"` },
    quorum: 'agreed=1',
    agreed: '"sv-1"',
    at: { now: clock.now(), wall: clock.wall() },
    notBefore: undefined,
  }
}

const headersFor = async (served: Served, change?: Partial<ReceiptWish['request']>) =>
  desk.headersFor(wishOf(served, change))

async function timesOf(served: Served) {
  const input = (await headersFor(served))?.['signature-input'] ?? ''
  const of = (name: string) => Number(new RegExp(`${name}=(\\d+)`).exec(input)?.[1]) * 1000
  return { created: of('created'), expires: of('expires') }
}

test('a receipt ends with the stale time of its answer, with the answer, or after 24 hours, whatever is first', async () => {
  const at = clock.wall()
  expect(await timesOf(servedOf())).toEqual({ created: at, expires: at + 5 * minute })
  const ending = answerOf('alice', { provenance: { ...provenance }, endsAt: at + minute })
  expect(await timesOf(servedOf({ answer: ending }))).toEqual({ created: at, expires: at + minute })
  const long = { freshMs: minute, staleMs: 30 * day }
  const lasting = answerOf('alice', { provenance: { ...provenance } })
  expect(await timesOf(servedOf({ answer: lasting, lifetime: long }))).toEqual({
    created: at,
    expires: at + day,
  })
  const unstored = answerOf('alice', { provenance: { ...provenance } })
  expect(await timesOf(servedOf({ answer: unstored, lifetime: undefined }))).toEqual({
    created: at,
    expires: at + minute,
  })
})

test('a kept answer is signed once for each path and query, and its times stay', async () => {
  const served = servedOf()
  const first = await headersFor(served)
  clock.advance(2 * minute)
  // Later callers get a copy of the answer from the cache, not the object that the first caller got.
  const kept = { ...served, answer: { ...served.answer } }
  expect(await headersFor(kept)).toEqual(first)
  expect(signed).toHaveLength(1)
  await headersFor(kept, { path: '/v0/y' })
  await headersFor(kept, { query: 'a=1' })
  expect(signed.map(({ terms }) => terms.created)).toEqual(Array(3).fill(signed[0]?.terms.created))
  clock.advance(3 * minute)
  expect(await headersFor(kept)).toBeUndefined()
})

test('the receipts that are kept of one answer are few, however callers write its path', async () => {
  const served = servedOf()
  for (let at = 0; at < 20; at++) await headersFor(served, { query: String(at) })
  await headersFor(served, { query: '19' })
  expect(signed).toHaveLength(20)
  await headersFor(served, { query: '0' })
  expect(signed).toHaveLength(21)
})

test('the signatures of answers that were asked for long ago are made again, with the same times', async () => {
  const first = servedOf()
  const headers = await headersFor(first)
  for (let at = 0; at < 10_000; at++)
    await headersFor(servedOf({ answer: answerOf('other', { provenance: { ...provenance } }) }))
  clock.advance(minute)
  const before = signed.length
  expect(await headersFor(first)).toEqual(headers)
  expect(signed.length).toBe(before + 1)
})

test('an answer that another daemon agreed on says so, and names only the voters that agreed', async () => {
  const headers = await headersFor(servedOf({ answer: answerOf('alice') }))
  expect(headers?.['x-bft-receipt']).toMatch(/, basis=shared$/)
  const text = documents.find(signed[0]?.stated.votes ?? '') ?? '{}'
  expect(JSON.parse(text)).toMatchObject({
    basis: 'shared',
    superValidators: [
      { name: 'sv-1', operator: 'acme', agrees: true },
      { name: 'sv-2', agrees: true },
      { name: 'sv-3', agrees: false },
    ],
  })
})

test('an answer of the mirror says when it was true and what it claims, and its receipt lasts a day at most', async () => {
  const asOf = {
    at: clock.wall() - 3 * 60 * minute,
    claim: 'binding',
    basis: 'snapshot',
    generation: 1,
  } as const
  const served = servedOf({ answer: answerOf('alice'), how: 'mirror', asOf })
  const headers = await headersFor(served)
  const seconds = asOf.at / 1000
  expect(headers?.['x-bft-receipt']).toMatch(
    new RegExp(`^v=1, at=@${seconds}, as-of=@${seconds}, claim=binding, value=`),
  )
  expect(headers?.['x-bft-receipt']).not.toContain('basis')
  expect(signed[0]?.terms.expires).toBe(seconds + day / 1000)
  clock.advance(21 * 60 * minute)
  expect(await headersFor(served)).toBeUndefined()
})

test('an answer of level stream has a receipt as of the first time, also for another path, or of the time that its caller asks for, and a new one after a day', async () => {
  const answer = answerOf('alice')
  const heard = async (at: number, notBefore?: number, path = '/a') => {
    const asOf = { at, claim: 'state', basis: 'stream', generation: 1 } as const
    const wish = wishOf(servedOf({ answer, how: 'mirror', asOf }))
    const headers = await desk.headersFor({ ...wish, notBefore, request: { ...wish.request, path } })
    return Number(/at=@(\d+), as-of=@\1,/.exec(headers?.['x-bft-receipt'] ?? '')?.[1]) * 1000
  }
  const first = Math.floor(clock.wall() / 1000) * 1000
  expect(await heard(first)).toBe(first)
  clock.advance(60 * minute)
  const later = first + 60 * minute
  expect(await heard(later)).toBe(first)
  expect(await heard(later, undefined, '/b')).toBe(first)
  expect(await heard(later, later)).toBe(later)
  expect(await heard(later)).toBe(later)
  clock.advance(2 * day)
  expect(await heard(later + 2 * day)).toBe(later + 2 * day)
  expect(signed).toHaveLength(4)
})

test('no receipt says that a key signed before it was made', async () => {
  const asOf = { at: clock.wall() - minute, claim: 'binding', basis: 'snapshot', generation: 1 } as const
  const times = await timesOf(servedOf({ answer: answerOf('alice'), how: 'mirror', asOf }))
  expect(times.created).toBe(clock.wall())
})

test('an answer without agreement has no receipt, nor has one without a roster', async () => {
  const { agreement } = answerOf('x')
  const answer = answerOf('x', { provenance, agreement: { ...agreement, agreed: [] } })
  expect(await headersFor(servedOf({ answer }))).toBeUndefined()
})

test('the roster document depends on neither the URLs of super validators nor the configuration of a daemon', () => {
  const moved = members.map(({ name }) => ({ name, urls: [`https://${name}.moved.example`] }))
  const membership = { ...electors.membership, members: moved }
  const other: Electors = { trustDigest: 'other', membership, voters: [] }
  expect(rosterDocument(other).digest).toBe(rosterDocument(electors).digest)
})

test('documents have bounded memory, and one that is gone is made again with the next receipt', async () => {
  const served = servedOf()
  await headersFor(served)
  const { votes = '' } = signed[0]?.stated ?? {}
  for (let at = 0; at < 1_000; at++) documents.add({ digest: String(at), text: 'x'.repeat(1_000) })
  expect(documents.find('0')).toBeUndefined()
  expect(documents.find(votes)).toBeUndefined()
  clock.advance(1_000)
  await headersFor(served)
  expect(documents.find(votes)).toBeDefined()
  expect(signed).toHaveLength(1)
})

test('a long parameter stands in the vote document by its digest', async () => {
  const wish = wishOf(servedOf())
  await desk.headersFor({ ...wish, question: { read: 'x', params: { body: 'b'.repeat(5_000) } } })
  const text = documents.find(signed[0]?.stated.votes ?? '') ?? ''
  expect(JSON.parse(text).question.params.body).toEqual({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) })
})

test('a caller gets a receipt by the key that signs now, whatever was kept before a rotation', async () => {
  const step = fc.constantFrom('rotate', 'ask', 'ask another path', 'wait')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const served = servedOf()
      for (const each of [...steps, 'ask']) {
        if (each === 'rotate') rotate()
        else if (each === 'wait') clock.advance(500)
        else {
          const header = `sig=();tag="bft-scan-receipt";keyid="${current.key.keyid}"`
          expect(desk.labelFor(header, clock.wall())).toBe('sig')
          const wish = wishOf(served, each === 'ask' ? {} : { path: '/v0/y' })
          const headers = await desk.headersFor(wish)
          expect(headers?.['signature-input']).toContain(`keyid="${current.key.keyid}"`)
        }
      }
    }),
  )
})
