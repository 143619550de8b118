import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { commit, entryCreate, entryTemplate, pairOf, register } from '../../ledger/submissions.ts'
import { contractsContract } from './contracts.contract.ts'
import { entriesContract } from './entries.contract.ts'
import { partiesContract } from './parties.contract.ts'
import { submissionsContract } from './submissions.contract.ts'
import { everything, type OpenLedger } from './under-test.ts'
import { updatesContract } from './updates.contract.ts'

export function ledgerContract(name: string, open: OpenLedger): void {
  describe(`a ledger ${name}`, () => {
    test('that is new holds nothing', async () => {
      await using under = await open()
      const { ledger } = under
      expect(await ledger.end()).toBe(0)
      expect(await ledger.checkpoint()).toEqual({
        kind: 'offset-checkpoint',
        offset: 0,
        synchronizerTimes: [],
      })
      expect(await ledger.updates(0, everything, 10)).toEqual([])
      expect(await ledger.findUpdate(`1220${'0'.repeat(64)}`)).toBeUndefined()
      expect(await ledger.activeContracts(0, 10)).toEqual([])
      expect(await ledger.findParty('alice')).toBeUndefined()
      expect(await ledger.contract(`00${'ab'.repeat(68)}`)).toBeUndefined()
      expect(await ledger.contracts({ template: entryTemplate }, 10)).toEqual([])
      expect(await ledger.entries({ limit: 10 })).toEqual([])
      expect(await ledger.due({ template: entryTemplate, before: everything }, 10)).toEqual([])
    })

    partiesContract(open)
    submissionsContract(open)
    updatesContract(open)
    contractsContract(open)
    entriesContract(open)

    test('keeps settings of parties apart from its updates', async () => {
      await using under = await open()
      const { ledger } = under
      const { dso, user } = await pairOf(ledger)
      expect(await ledger.setting(user, 'renew')).toBeUndefined()
      await ledger.setSetting(user, 'renew', 'no')
      await ledger.setSetting(user, 'renew', 'yes')
      await ledger.setSetting(user, 'other', '')
      expect(await ledger.setting(user, 'renew')).toBe('yes')
      expect(await ledger.setting(user, 'other')).toBe('')
      expect(await ledger.setting(dso, 'renew')).toBeUndefined()
      expect(await ledger.end()).toBe(2)
    })

    test('answers what was asked before it is closed, and nothing after', async () => {
      const under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const before = Array.from({ length: 200 }, (_, index) => register(ledger, pair, `name-${index}`))
      const read = ledger.end()
      const closing = under[Symbol.asyncDispose]()
      await expect(ledger.end()).rejects.toThrow(LedgerUnavailable)
      await expect(ledger.partyOf('late', 'late')).rejects.toThrow(LedgerUnavailable)
      expect(new Set((await Promise.all(before)).map(({ contractId }) => contractId)).size).toBe(200)
      expect(await read).toBeGreaterThanOrEqual(2)
      await closing
      await expect(commit(ledger, pair, entryCreate(pair, 'late'))).rejects.toThrow(LedgerUnavailable)
      await ledger[Symbol.asyncDispose]()
    })
  })
}
