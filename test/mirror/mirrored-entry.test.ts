import { describe, expect, test } from 'vitest'
import { entryIn } from '../../src/mirror/mirrored-contracts.ts'
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
})
