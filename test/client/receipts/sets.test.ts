import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type SavedReceipt,
  type VerifyOptions,
  verifyReceipt,
} from '../../../src/client/receipts/receipts.ts'
import { agreedAt, type MadeReceipt, testKey } from '../../support/receipt-signer.ts'
import { leafOf, TestSet, testEntry, treeHash } from '../../support/set-signer.ts'

const key = testKey('one')
const now = new Date((agreedAt + 60) * 1000)

function verdictOn(receipt: MadeReceipt, given: Partial<VerifyOptions> = {}) {
  const pins = [{ name: 'one', key: key.jwk }]
  return verifyReceipt(receipt as SavedReceipt, { pins, question: receipt.request, now, ...given })
}

function withHeader(receipt: MadeReceipt, name: string, value: string): MadeReceipt {
  const { response } = receipt
  return { ...receipt, response: { ...response, headers: { ...response.headers, [name]: value } } }
}

function withBody(receipt: MadeReceipt, body: string): MadeReceipt {
  return { ...receipt, response: { ...receipt.response, body } }
}

const numbered = (index: number) => `name-${String(index).padStart(5, '0')}`
const setOfSize = (size: number) =>
  new TestSet(Array.from({ length: size }, (_, index) => testEntry(numbered(index))))

/**
 * Generates names. Some share beginnings, some have characters from all of Unicode, and some have characters with a
 * meaning in paths.
 */
const names = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('a', 'b', '.', '\u{10ffff}', '\uffff', '\ue000', '/', '%') }),
    fc.constantFrom('alice', 'alice.', 'alice.unverified.cns', 'alicf', 'Alice', '__proto__', ' ', '\u0000'),
  )
  .filter((name) => name !== '' && name.isWellFormed() && !/^dso\.[^.]+$|\.sv\.[^.]+$/.test(name))
const sets = fc.uniqueArray(names, { maxLength: 40 })

describe('a signed set of names', () => {
  test('proves each name that it has, and that each other name is absent, whatever the names are', async () => {
    await fc.assert(
      fc.asyncProperty(sets, fc.array(names, { maxLength: 5 }), async (present, asked) => {
        const set = new TestSet(present.map((name) => testEntry(name)))
        for (const name of [...present, ...asked]) {
          const verdict = await verdictOn(set.answer(key, name))
          const proves = present.includes(name) ? 'entry' : 'absence'
          expect(verdict).toMatchObject({ kind: 'verified', statements: [{ proven: { name, proves } }] })
        }
      }),
      { numRuns: 60 },
    )
  })

  test.each([0, 1, 2, 3, 6, 7, 8, 9, 33, 1_000, 1_025])(
    'of %i names has a proof for each place at its ends, and paths as long as the tree is high',
    async (size) => {
      const set = setOfSize(size)
      for (const index of [0, 1, size - 1].filter((one) => one >= 0 && one < size)) {
        const receipt = set.answer(key, numbered(index))
        expect((await verdictOn(receipt)).kind).toBe('verified')
        const proof = receipt.response.headers['x-bft-proof'] ?? ''
        const length = Buffer.from(/path=:(.*):$/.exec(proof)?.[1] ?? '', 'base64').length
        expect(length).toBeLessThanOrEqual(32 * Math.ceil(Math.log2(size)))
        if (index === 0) expect(length).toBe(32 * Math.ceil(Math.log2(size)))
      }
      for (const name of ['a', 'z', `${numbered(0)}.`, `${numbered(size - 1)}x`])
        expect((await verdictOn(set.answer(key, name))).kind).toBe('verified')
    },
  )

  test('says in its sentence as of when, of how many names, and that an absence is one of then', async () => {
    const set = setOfSize(3)
    expect((await verdictOn(set.answer(key, numbered(1)))).says).toBe(
      'daemon one says that sv-a, sv-b, sv-c, sv-d, sv-e gave it the same 3 names as of 2026-11-22T03:00:00Z, and that this is the entry of name-00001 among them; this is false only if the daemon lies, or if these five lie together.',
    )
    expect((await verdictOn(set.answer(key, 'nobody'))).says).toBe(
      'daemon one says that sv-a, sv-b, sv-c, sv-d, sv-e gave it the same 3 names as of 2026-11-22T03:00:00Z, and that nobody was none of them then, which says nothing of later; this is false only if the daemon lies, or if these five lie together.',
    )
  })
})

const present = ['alice', 'bob', 'carol', 'dave', 'erin']
const five = new TestSet(present.map((name) => testEntry(name)))
const receipts = ['alice', 'carol', 'erin', 'a', 'carl', 'zoe'].map((name) => five.answer(key, name))
const parts = ['x-bft-set', 'x-bft-proof', 'signature-input', 'signature', 'body', 'path'] as const

test('an answer in which any single byte of the set, the proof, the name or the body is another one is refused', async () => {
  const change = fc.tuple(
    fc.constantFrom(...receipts),
    fc.constantFrom(...parts),
    fc.nat(),
    fc.integer({ min: 0x20, max: 0x7e }),
  )
  await fc.assert(
    fc.asyncProperty(change, async ([receipt, part, place, code]) => {
      const { request, response } = receipt
      const text =
        part === 'body' ? response.body : part === 'path' ? request.path : (response.headers[part] ?? '')
      const at = place % text.length
      fc.pre(text.charCodeAt(at) !== code)
      const changed = `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`
      // The signature does not cover blanks around a header. A changed path must still be valid.
      fc.pre(part === 'body' || part === 'path' || text.trim() !== changed.trim())
      fc.pre(part !== 'path' || (/^\/[!$-~]*$/.test(changed) && !changed.includes('#')))
      const given =
        part === 'body'
          ? withBody(receipt, changed)
          : part === 'path'
            ? { ...receipt, request: { ...request, path: changed } }
            : withHeader(receipt, part, changed)
      expect((await verdictOn(given)).kind).toBe('refused')
    }),
    { numRuns: 1_500 },
  )
})

test('no text in place of the set, the proof or the body makes the verifier throw, or verifies', async () => {
  const header = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'index=,:path left-right0123456789AZaz+/()"') }),
    fc.nat().map((index) => `index=${index}`),
    fc.nat().map((length) => `index=1, path=:${'A'.repeat(4 * (length % 30_000))}:`),
  )
  const given = fc.tuple(fc.constantFrom(...receipts), fc.constantFrom(...parts.slice(0, 4)), header)
  await fc.assert(
    fc.asyncProperty(given, fc.json(), async ([receipt, part, text], body) => {
      expect((await verdictOn(withHeader(receipt, part, text))).kind).toBe('refused')
      expect((await verdictOn(withBody(receipt, body))).kind).toBe('refused')
    }),
  )
})

test('the proof of one name does not do for another, and no proof does for the other status', async () => {
  for (const receipt of receipts)
    for (const other of receipts)
      if (receipt !== other) {
        const verdict = await verdictOn(receipt, { question: other.request })
        expect(verdict.kind).toBe('refused')
        const proof = other.response.headers['x-bft-proof'] ?? ''
        expect((await verdictOn(withHeader(receipt, 'x-bft-proof', proof))).kind).toBe('refused')
        const status = { ...receipt, response: { ...receipt.response, status: other.response.status } }
        if (status.response.status !== receipt.response.status)
          expect(await verdictOn(status)).toMatchObject({ reason: 'malformedProof' })
      }
})

test('neighbours that are not adjacent, a missing one, and swapped ones prove no absence', async () => {
  const absent = five.answer(key, 'carl')
  const neighbour = (side: string, proof: string) =>
    new RegExp(`${side}=[^,]*, ${side}-path=:[^:]*:`).exec(proof)?.[0]
  const at = (index: number) => five.exclusion(index)
  const forged = [
    `index=2, ${neighbour('left', at(1))}, ${neighbour('right', at(2))}`,
    `index=2, ${neighbour('left', at(2))}, ${neighbour('right', at(3))}`,
    `index=2, ${neighbour('left', at(2))}`,
    `index=2, ${neighbour('right', at(2))}`,
    'index=2',
    'index=0',
    `index=0, ${neighbour('right', at(0))}`,
    `index=5, ${neighbour('left', at(5))}`,
    `index=2, ${neighbour('right', at(2))}, ${neighbour('left', at(2))}`,
    at(1),
    at(3),
  ]
  expect((await verdictOn(absent)).kind).toBe('verified')
  for (const proof of forged)
    expect((await verdictOn(withHeader(absent, 'x-bft-proof', proof))).kind).toBe('refused')
})

test('no choice of neighbours can prove that a name of the set is absent', async () => {
  for (const name of present) {
    const body = JSON.stringify({ error: `No ans entry found for name: ${name}` })
    for (let place = 0; place <= present.length; place++) {
      const forged = five.answer(key, name, { status: 404, body, proof: five.exclusion(place) })
      expect((await verdictOn(forged)).kind).toBe('refused')
    }
  }
})

test('an inner node is no leaf, and a leaf no inner node', async () => {
  const [left, right] = ['alice', 'bob'].map((name) => leafOf(testEntry(name)))
  const inner = Buffer.concat([Buffer.of(1), treeHash([left as string]), treeHash([right as string])])
  const body = JSON.stringify({ entry: testEntry('alice') })
  const root = treeHash([inner.toString('latin1')])
  const forged = new TestSet([testEntry('alice')]).answer(key, 'alice', { root, names: 1, body })
  expect(await verdictOn(forged)).toMatchObject({ reason: 'badProof' })
})

test('several entries of one name are one leaf, which proves neither of them, and bounds absences', async () => {
  const twins = [testEntry('bob', { contract_id: '01' }), testEntry('bob', { contract_id: '02' })]
  const leaves = [leafOf(testEntry('alice')), leafOf(twins), leafOf(testEntry('carol'))]
  const set = setOfSize(3)
  const root = treeHash(leaves)
  Object.assign(set, { leaves })
  const bob = set.answer(key, 'bob', {
    root,
    status: 200,
    body: JSON.stringify({ entry: twins[0] }),
    proof: set.inclusion(1),
  })
  expect(await verdictOn(bob)).toMatchObject({ reason: 'badProof' })
  const absent = set.answer(key, 'bobby', { root, proof: set.exclusion(2) })
  expect((await verdictOn(absent)).kind).toBe('verified')
})
