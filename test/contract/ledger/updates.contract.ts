import { describe, expect, test } from 'vitest'
import {
  archive,
  commit,
  createdBy,
  dayUs,
  entryTemplate,
  pairOf,
  register,
  renewal,
} from '../../ledger/submissions.ts'
import { everything, type OpenLedger } from './under-test.ts'

export function updatesContract(open: OpenLedger): void {
  describe('updates', () => {
    test('are read in pages', async () => {
      await using under = await open()
      const { ledger } = under
      for (let user = 0; user < 7; user++) await ledger.partyOf(`user-${user}`, 'user')
      const offsets = async (...page: [number, number, number]) =>
        (await ledger.updates(...page)).map(({ offset }) => offset)
      expect(await offsets(0, everything, 3)).toEqual([1, 2, 3])
      expect(await offsets(3, everything, 3)).toEqual([4, 5, 6])
      expect(await offsets(6, everything, 3)).toEqual([7])
      expect(await offsets(2, 5, 100)).toEqual([3, 4, 5])
      expect(await offsets(7, everything, 3)).toEqual([])
      expect(await offsets(100, everything, 3)).toEqual([])
      expect(await offsets(0, everything, 0)).toEqual([])
    })

    test('are found by their id, whichever kind they are', async () => {
      await using under = await open()
      const { ledger } = under
      await register(ledger, await pairOf(ledger), 'a')
      const updates = await ledger.updates(0, everything, 10)
      expect(updates.map(({ kind }) => kind)).toEqual(['party', 'party', 'transaction'])
      for (const update of updates) {
        const { updateId } = update
        expect(await ledger.findUpdate(updateId)).toEqual(update)
        const alike = `${updateId.slice(0, -1)}${updateId.endsWith('0') ? '1' : '0'}`
        for (const other of [alike, updateId.slice(0, 20), updateId.toUpperCase(), '', 'no hex'])
          expect(await ledger.findUpdate(other)).toBeUndefined()
      }
    })

    test('leave a checkpoint at the last of them', async () => {
      await using under = await open()
      const { ledger } = under
      await register(ledger, await pairOf(ledger), 'a')
      const [last] = await ledger.updates(2, 3, 1)
      const { synchronizerId, recordTime } = last as { synchronizerId: string; recordTime: number }
      expect(await ledger.checkpoint()).toEqual({
        kind: 'offset-checkpoint',
        offset: 3,
        synchronizerTimes: [{ synchronizerId, recordTime }],
      })
    })

    test('reach watchers with what they touched, in order, before their submitters get the outcome', async () => {
      await using under = await open()
      const { ledger } = under
      const heard: unknown[] = []
      const stop = ledger.watch((touched, offset) => heard.push({ offset, ...touched }))
      const pair = await pairOf(ledger)
      const { user } = pair
      const { contractId } = await register(ledger, pair, 'a')
      const name = { name: 'a', user }
      const created = { offset: 3, created: [entryTemplate], archived: [], names: [name] }
      const untouched = { created: [], archived: [], names: [] }
      expect(heard).toEqual([{ offset: 1, ...untouched }, { offset: 2, ...untouched }, created])
      const renewed = createdBy(await commit(ledger, pair, renewal(contractId, dayUs)))
      expect(heard.at(-1)).toEqual({ ...created, offset: 4, archived: [entryTemplate] })
      await commit(ledger, pair, ...renewed.map((entry) => archive(entry.contractId)))
      expect(heard.at(-1)).toEqual({ offset: 5, created: [], archived: [entryTemplate], names: [name] })
      stop()
      await ledger.partyOf('late', 'late')
      expect(heard).toHaveLength(5)
    })

    test('reach the other watchers when one throws', async () => {
      await using under = await open()
      const { ledger } = under
      const heard: number[] = []
      ledger.watch(() => {
        throw new Error('thrown by a watcher')
      })
      ledger.watch((_touched, offset) => heard.push(offset))
      await pairOf(ledger)
      expect(heard).toEqual([1, 2])
    })
  })
}
