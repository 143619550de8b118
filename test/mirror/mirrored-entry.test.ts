import { describe, expect, test } from 'vitest'
import { wholeWork } from '../../src/lib/in-portions.ts'
import { ambiguousNames, isUnexpired } from '../../src/mirror/entry-expiry.ts'
import { lookupAnsEntryByName } from '../../src/reads/ans.ts'
import { entryBody, entryIn, type MirroredEntry } from '../../src/reads/mirrored-entry.ts'
import { orderedBy, readingOf } from '../../src/reads/reading.ts'
import { ansEntry } from './contracts.ts'

const name = 'alice.unverified.cns'

describe('An entry', () => {
  test.each([
    ['2026-03-01T12:00:00Z', '2026-03-01T12:00:00Z'],
    ['2026-03-01T12:00:00.500Z', '2026-03-01T12:00:00.5Z'],
    ['2026-03-01T12:00:00.000120Z', '2026-03-01T12:00:00.00012Z'],
    ['2026-03-01T12:00:00.123456Z', '2026-03-01T12:00:00.123456Z'],
  ])('that expires at %s on the ledger says %s, as scans write it', (expiresAt, expires_at) => {
    expect(entryIn(ansEntry(name, { expiresAt }))?.expires_at).toBe(expires_at)
  })

  test('is printed as the row of look-ups by name orders it', () => {
    const entry = entryIn(ansEntry(name)) as MirroredEntry
    const body = entryBody(Object.fromEntries(Object.entries(entry).reverse()) as unknown as MirroredEntry)
    const value = readingOf(lookupAnsEntryByName, JSON.parse(body))?.value
    expect(body).toBe(JSON.stringify(orderedBy(lookupAnsEntryByName, value)))
    expect(JSON.parse(body)).toEqual({ entry })
  })

  test.each([
    ['user', 'no party'],
    ['user', null],
    ['name', 7],
    ['url', null],
    ['description', {}],
    ['expiresAt', '1 March 2026'],
    ['expiresAt', undefined],
  ])('is not made of a contract whose %s is %j', (field, value) => {
    const contract = ansEntry(name)
    const create_arguments = {
      ...contract.create_arguments,
      [field]: value,
    } as typeof contract.create_arguments
    expect(entryIn({ ...contract, create_arguments })).toBeUndefined()
  })

  test('is valid at the exact moment of its expiry, and not afterwards', () => {
    const entry = { expires_at: '2026-03-01T12:00:00Z' }
    expect(isUnexpired(entry, Date.parse('2026-03-01T12:00:00Z'))).toBe(true)
    expect(isUnexpired(entry, Date.parse('2026-03-01T12:00:00.001Z'))).toBe(false)
  })
})

test('a name is ambiguous while two of its entries are unexpired', () => {
  const [first, second, other] = [
    ansEntry(name, { expiresAt: '2026-03-01T12:00:00Z' }),
    ansEntry(name, { version: 1, expiresAt: '2026-04-01T12:00:00Z' }),
    ansEntry('bob.unverified.cns'),
  ].map((contract) => entryIn(contract) as MirroredEntry)
  const entries = [first, other, second] as readonly MirroredEntry[]
  expect([...wholeWork(ambiguousNames(entries, Date.parse('2026-03-01T12:00:00Z')))]).toEqual([name])
  expect([...wholeWork(ambiguousNames(entries, Date.parse('2026-03-01T12:00:01Z')))]).toEqual([])
})
