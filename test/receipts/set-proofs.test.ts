import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'
import type { Served } from '../../src/cache/answers.ts'
import type { Electors } from '../../src/cache/provenance.ts'
import { verifyReceipt } from '../../src/client/receipts/receipts.ts'
import { digest } from '../../src/lib/digest.ts'
import { isBindable } from '../../src/reads/bindable.ts'
import { ReceiptDocuments } from '../../src/receipts/documents.ts'
import { MemoryKeyRing } from '../../src/receipts/key-ring.ts'
import type { ProvableSet, SetEntry } from '../../src/receipts/provable-set.ts'
import { ReceiptDesk } from '../../src/receipts/receipt-desk.ts'
import type { ReceiptWish } from '../../src/receipts/receipt-wish.ts'
import { signReceipt } from '../../src/receipts/sign-receipt.ts'
import { newSigningKey } from '../../src/receipts/signing-key.ts'
import { operatorName } from '../../src/scan/roster.ts'
import { answerOf, minutes } from '../cache/samples.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { testEntry } from '../support/set-signer.ts'

const hour = 3_600_000
const names = ['alice', 'bob', 'carol']
const electorsOf = (trust: string): Electors => ({
  trustDigest: trust.repeat(43),
  set: {
    dso: 'DSO::1220',
    synchronizer: 'global',
    members: [{ name: 'sv-1', urls: ['https://sv-1.example'] }],
  },
  voters: [{ names: ['sv-1'], operator: 'operator acme', place: { origin: 'https://sv-1.example' } }],
})

let clock: ManualClock
let documents: ReceiptDocuments
let electors: Electors | undefined
let set: ProvableSet | undefined
let key: ReturnType<typeof newSigningKey>
/** The number of times that the entries were read. Building a tree reads the entries once. */
let builds: number

function countingSet(entries: readonly SetEntry[]): ProvableSet {
  const { agreement } = answerOf('x')
  return {
    at: clock.wall() - hour,
    migrationId: 4,
    agreement,
    get entries() {
      builds++
      return entries
    },
  }
}

beforeEach(() => {
  clock = new ManualClock()
  documents = new ReceiptDocuments({ maxBytes: 1_000_000 })
  electors = electorsOf('A')
  key = newSigningKey()
  builds = 0
  set = countingSet(names.map((name) => testEntry(name)))
})

function deskOf({ always = false } = {}): ReceiptDesk {
  const listed = new MemoryKeyRing(clock)
  return new ReceiptDesk(
    { always },
    {
      keys: { signing: () => ({ key, nbf: 0 }), listed: (wall) => listed.listed(wall) },
      signer: { sign: (job, privateKey) => signReceipt(job, privateKey) },
      documents,
      electors: () => electors,
      set: () => set,
      operatorName,
    },
  )
}

function wishOf(name: string, value: unknown, change: Partial<ReceiptWish> = {}): ReceiptWish {
  const text = JSON.stringify(value)
  const status = 'entry' in (value as object) ? 200 : 404
  const answer = { ...answerOf(text), status, body: Buffer.from(text), digest: digest(text) }
  const served: Served = { answer, agreedAt: clock.now(), how: 'hit', stored: true, lifetime: minutes }
  return {
    labels: { answer: undefined, set: 's' },
    question: { read: 'lookupAnsEntryByName', params: { name } },
    request: { method: 'GET', path: '/v0/x', query: '', contentDigest: undefined },
    served,
    representation: { status, body: text, etag: `"${answer.digest}"` },
    quorum: 'agreed=1',
    agreed: '"sv-1"',
    at: { now: clock.now(), wall: clock.wall() },
    notBefore: undefined,
    ...change,
  }
}

const entryOf = (name: string, more: Partial<SetEntry> = {}) => ({ entry: testEntry(name, more) })
const absenceOf = (name: string) => ({ error: `No ans entry found for name: ${name}` })

test('the tree is built once, at the first request, however many requests come at once', async () => {
  const desk = deskOf()
  expect(builds).toBe(0)
  await desk.headersFor(wishOf('alice', entryOf('alice'), { labels: { answer: 'a', set: undefined } }))
  expect(builds).toBe(0)
  const asked = names.flatMap((name) => [
    wishOf(name, entryOf(name)),
    wishOf(`${name}x`, absenceOf(`${name}x`)),
  ])
  const headers = await Promise.all(asked.map((wish) => desk.headersFor(wish)))
  expect(headers.every((one) => one?.['x-bft-proof'] !== undefined)).toBe(true)
  expect(new Set(headers.map((one) => one?.['signature'])).size).toBe(1)
  expect(builds).toBe(1)
})

test('an answer that the set does not give has no proof, and no tree is built for a question of another kind', async () => {
  const desk = deskOf()
  const given = [
    wishOf('alice', entryOf('alice'), { question: { read: 'lookupAnsEntryByParty', params: {} } }),
    wishOf('dso.cns', absenceOf('dso.cns')),
    wishOf('alice', entryOf('alice'), { notBefore: clock.wall() }),
  ]
  for (const wish of given) expect(await desk.headersFor(wish)).toBeUndefined()
  expect(builds).toBe(0)
  const other = [
    wishOf('alice', entryOf('alice', { contract_id: 'renewed' })),
    wishOf('alice', absenceOf('alice')),
    wishOf('nobody', entryOf('nobody')),
    wishOf('nobody', { error: 'Another text' }),
    wishOf('nobody', { ...absenceOf('nobody'), more: 1 }),
    wishOf('alice', { ...entryOf('alice'), more: 1 }),
  ]
  for (const wish of other) expect(await desk.headersFor(wish)).toBeUndefined()
})

test('a set has no proof after 24 hours, without a roster, or once it is not served', async () => {
  const desk = deskOf()
  const headers = () => desk.headersFor(wishOf('alice', entryOf('alice')))
  const made = await headers()
  const seconds = (clock.wall() - hour) / 1000
  expect(made?.['signature-input']).toContain(`created=${seconds};expires=${seconds + 86_400};`)
  clock.setWall(clock.wall() + 23 * hour - 1)
  expect(await headers()).toEqual(made)
  clock.setWall(clock.wall() + 1)
  expect(await headers()).toBeUndefined()
  clock.setWall(clock.wall() - hour)
  electors = undefined
  expect(await headers()).toBeUndefined()
  electors = electorsOf('A')
  set = undefined
  expect(await headers()).toBeUndefined()
})

test('another roster and another key have a statement of their own, and the documents are found again', async () => {
  const desk = deskOf()
  const headers = () => desk.headersFor(wishOf('alice', entryOf('alice')))
  const first = await headers()
  electors = electorsOf('B')
  const second = await headers()
  expect(second?.['x-bft-set']).not.toBe(first?.['x-bft-set'])
  key = newSigningKey()
  const third = await headers()
  expect(third?.['x-bft-set']).toBe(second?.['x-bft-set'])
  expect(third?.['signature']).not.toBe(second?.['signature'])
  const votes = Buffer.from(/votes=:(.*?):/.exec(third?.['x-bft-set'] ?? '')?.[1] ?? '', 'base64')
  for (let at = 0; at < 1_000; at++) documents.add({ digest: String(at), text: 'x'.repeat(1_000) })
  expect(documents.find(votes.toString('base64url'))).toBeUndefined()
  await headers()
  expect(documents.find(votes.toString('base64url'))).toBeDefined()
  expect(builds).toBe(1)
})

test('a key that is younger than the snapshot made no signature before its time', async () => {
  const nbf = Math.floor(clock.wall() / 1000) - 60
  const desk = new ReceiptDesk(
    { always: false },
    {
      keys: { signing: () => ({ key, nbf }), listed: () => [] },
      signer: { sign: (job, privateKey) => signReceipt(job, privateKey) },
      documents,
      electors: () => electors,
      set: () => set,
      operatorName,
    },
  )
  const headers = await desk.headersFor(wishOf('alice', entryOf('alice')))
  expect(headers?.['signature-input']).toContain(`;created=${nbf};`)
})

test('where all answers are signed, a caller that asks for the set gets a signed answer if there is no proof', async () => {
  const desk = deskOf({ always: true })
  const labels = desk.labelsFor('bft=();tag="bft-scan-set"', clock.wall())
  expect(labels).toEqual({ answer: undefined, set: 'bft' })
  const wish = { labels: labels as NonNullable<typeof labels> }
  const proved = await desk.headersFor(wishOf('alice', entryOf('alice'), wish))
  expect(proved?.['signature']).toMatch(/^bft=:[^,]*:$/)
  expect(proved).not.toHaveProperty('x-bft-receipt')
  const other = await desk.headersFor(wishOf('alice', entryOf('alice', { url: 'x' }), wish))
  expect(other?.['signature']).toMatch(/^bft=:[^,]*:$/)
  expect(other).toHaveProperty('x-bft-receipt')
})

test('a client verifies every proof of the daemon, for any names of any set', async () => {
  const name = fc
    .oneof(
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: fc.constantFrom('a', '.', '\u{10ffff}', '\uffff') }),
    )
    .filter((text) => text !== '' && text.isWellFormed() && isBindable(text))
  const sets = fc.uniqueArray(name, { maxLength: 33 })
  await fc.assert(
    fc.asyncProperty(sets, fc.array(name, { maxLength: 5 }), async (present, others) => {
      set = countingSet(present.map((one) => testEntry(one, { expires_at: '2099-01-01T00:00:00Z' })))
      const desk = deskOf()
      for (const asked of [...present, ...others]) {
        const entry = set.entries.find((one) => one.name === asked)
        const wish = wishOf(asked, entry === undefined ? absenceOf(asked) : { entry })
        const verdict = await verdictOn(asked, wish, (await desk.headersFor(wish)) ?? {})
        const proves = entry === undefined ? 'absence' : 'entry'
        expect(verdict).toMatchObject({ kind: 'verified', statements: [{ proven: { name: asked, proves } }] })
      }
    }),
    { numRuns: 40 },
  )
})

function verdictOn(
  name: string,
  { representation: { status, body } }: ReceiptWish,
  headers: Record<string, string>,
) {
  const request = { method: 'GET', path: `/v0/ans-entries/by-name/${encodeURIComponent(name)}` } as const
  const receipt = { format: 1, request, response: { status, headers, body: body.toString() } } as const
  const pins = [{ name: 'here', key: { kty: 'OKP', crv: 'Ed25519', x: key.x } as const }]
  return verifyReceipt(receipt, { pins, question: request, now: new Date(clock.wall()) })
}

test('neighbours that are too long for a header are not sent', async () => {
  const desk = deskOf()
  set = countingSet([testEntry('a', { description: 'x'.repeat(7_000) }), testEntry('c')])
  expect(await desk.headersFor(wishOf('b', absenceOf('b')))).toBeUndefined()
  expect(await desk.headersFor(wishOf('d', absenceOf('d')))).toHaveProperty('x-bft-proof')
})
