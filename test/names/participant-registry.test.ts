import { describe, expect, test } from 'vitest'
import { ansRulesOf, holderOf } from '../../src/registry/names/participant-registry.ts'
import { samples } from '../reads/samples.ts'

const { reply: rules } = samples.getAnsRules
const { reply: entry } = samples.lookupAnsEntryByName
const end = Date.UTC(2036, 2, 1, 12) * 1000 + 123_456

describe('rules that a quorum agrees on', () => {
  test('are the contract of the ledger, its decimals with all places', () => {
    expect(ansRulesOf(rules)).toMatchObject({
      contractId: '00a1b200',
      createdEventBlob: 'CgMyLjESAAo=',
      argument: { config: { entryFee: '1.0000000000', descriptionPrefix: 'CNS entry: ' } },
    })
  })

  test('may have members of a later version, which are left out', () => {
    const { contract } = rules.ans_rules_update
    const config = { ...contract.payload.config, added: 'later' }
    const payload = { ...contract.payload, config, added: null }
    const later = { ans_rules_update: { contract: { ...contract, payload } } }
    expect(ansRulesOf(later).argument).toEqual(ansRulesOf(rules).argument)
  })

  test('that are none are refused', () => {
    const { contract } = rules.ans_rules_update
    const payload = { dso: contract.payload.dso }
    expect(() => ansRulesOf({ ans_rules_update: { contract: { ...contract, payload } } })).toThrow()
  })
})

describe('the holder of a name, by what a quorum agrees on', () => {
  test('is the user of the entry until it ends', () => {
    expect(holderOf(entry, end)).toEqual({ user: entry.entry.user, expiresAt: end })
    expect(holderOf(entry, end + 1)).toBeUndefined()
  })

  test('of an entry without an end is so forever', () => {
    const forever = { entry: { ...entry.entry, expires_at: null } }
    expect(holderOf(forever, end + 1)).toMatchObject({ user: entry.entry.user })
  })

  test('of a name that nobody has is nobody', () => {
    expect(holderOf(undefined, end)).toBeUndefined()
  })
})
