import { describe, expect, test } from 'vitest'
import type { Contract } from '../../../src/ledger/update.ts'
import {
  archive,
  commit,
  createdBy,
  dayUs,
  entryCreate,
  entryTemplate,
  pairOf,
  register,
  renewal,
  rulesTemplate,
  submission,
  transactionOf,
} from '../../ledger/submissions.ts'
import { everything, type OpenLedger, spring } from './under-test.ts'

export function contractsContract(open: OpenLedger): void {
  describe('contracts', () => {
    test('are found by their id while they are active', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const contract = await register(ledger, pair, 'a')
      expect(await ledger.contract(contract.contractId)).toEqual(contract)
      await commit(ledger, pair, archive(contract.contractId))
      expect(await ledger.contract(contract.contractId)).toBeUndefined()
      expect(await ledger.contract(contract.contractId.toUpperCase())).toBeUndefined()
      expect(await ledger.contract('no hex')).toBeUndefined()
    })

    test('are found by template, stakeholder and indexed members together', async () => {
      await using under = await open()
      const { ledger } = under
      const alice = await pairOf(ledger, 'alice')
      const bob = await pairOf(ledger, 'bob')
      const a1 = await register(ledger, alice, 'one')
      const a2 = await register(ledger, alice, 'two')
      const b1 = await register(ledger, bob, 'one')
      const find = async (filter: object, limit = 10) =>
        (await ledger.contracts({ template: entryTemplate, ...filter }, limit)).map((c) => c.contractId)
      const ids = (...contracts: Contract[]) => contracts.map(({ contractId }) => contractId)
      expect(await find({})).toEqual(ids(a1, a2, b1))
      expect(await find({}, 2)).toEqual(ids(a1, a2))
      expect(await find({ template: rulesTemplate })).toEqual([])
      expect(await find({ party: alice.dso })).toEqual(ids(a1, a2, b1))
      expect(await find({ party: alice.user })).toEqual(ids(a1, a2))
      expect(await find({ where: { name: 'one' } })).toEqual(ids(a1, b1))
      expect(await find({ where: { name: 'one' } }, 1)).toEqual(ids(a1))
      expect(await find({ where: { name: 'one', user: bob.user } }, 1)).toEqual(ids(b1))
      expect(await find({ where: { name: 'one' }, party: bob.user }, 1)).toEqual(ids(b1))
      expect(await find({ where: { name: 'two' }, party: bob.user })).toEqual([])
      expect(await find({ where: { name: 'none' } })).toEqual([])
      await expect(find({ where: { url: '' } })).rejects.toThrow('no index of url')
    })

    test('are by time what they were', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const first = await register(ledger, pair, 'a')
      const renewed = await commit(ledger, pair, renewal(first.contractId, dayUs))
      const [second] = createdBy(renewed) as [Contract]
      const filters = [{}, { party: pair.user }, { where: { name: 'a' } }]
      for (const filter of filters) {
        const asOf = (time: number) => ledger.contracts({ template: entryTemplate, ...filter }, 10, time)
        expect(await asOf(renewed.recordTime)).toEqual([second])
        expect(await asOf(renewed.recordTime - 1)).toEqual([first])
        expect(await asOf(everything)).toEqual([second])
        expect(await asOf(0)).toEqual([])
      }
    })

    test('are active after an update as it left them, with the node that created each', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const { dso, user } = pair
      const both = submission([dso, user], [entryCreate(pair, 'a'), entryCreate(pair, 'b')])
      const created = transactionOf(await ledger.submit(both))
      const [a, b] = createdBy(created) as [Contract, Contract]
      const renewed = await commit(ledger, pair, renewal(a.contractId, dayUs))
      const [again] = createdBy(renewed) as [Contract]
      await commit(ledger, pair, archive(b.contractId))
      const { synchronizerId } = created
      const [ofA, ofB] = [a, b].map((contract, nodeId) => ({
        contract,
        offset: 3,
        updateId: created.updateId,
        nodeId,
        synchronizerId,
      }))
      const renewedNode = renewed.nodes.find(({ kind }) => kind === 'create')?.nodeId as number
      expect(renewedNode).toBeGreaterThan(0)
      const ofAgain = {
        contract: again,
        offset: 4,
        updateId: renewed.updateId,
        nodeId: renewedNode,
        synchronizerId,
      }
      const then = await Promise.all([0, 1, 2, 3, 4, 5, 6].map((at) => ledger.activeContracts(at, 10)))
      expect(then).toEqual([[], [], [], [ofA, ofB], [ofB, ofAgain], [ofAgain], [ofAgain]])
      expect(await ledger.activeContracts(4, 1)).toEqual([ofB])
      expect(await ledger.activeContracts(4, 0)).toEqual([])
      const rest = (offset: number, nodeId: number) => ledger.activeContracts(4, 10, { offset, nodeId })
      expect(await rest(2, 0)).toEqual([ofB, ofAgain])
      expect(await rest(3, 0)).toEqual([ofB, ofAgain])
      expect(await rest(3, 1)).toEqual([ofAgain])
      expect(await rest(4, renewedNode)).toEqual([])
      expect(await rest(100, 0)).toEqual([])
    })

    test('are due by time, then by creation, and page after page', async () => {
      await using under = await open()
      const { ledger } = under
      const pair = await pairOf(ledger)
      const at = (days: number) => spring + days * dayUs
      const contracts: Contract[] = []
      for (const days of [3, 1, 2, 2, 2, 9])
        contracts.push(await register(ledger, pair, `in ${days}`, { expiresAt: at(days) }))
      const [three, one, ...rest] = contracts as [Contract, Contract, ...Contract[]]
      const twos = rest.slice(0, 3)
      const due = (before: number, limit = 10, after?: { dueAt: number; contractId: string }) =>
        ledger.due({ template: entryTemplate, before, ...(after === undefined ? {} : { after }) }, limit)
      expect(await due(at(9))).toEqual([one, ...twos, three])
      expect(await due(at(2))).toEqual([one])
      expect(await due(at(9), 2)).toEqual([one, twos[0]])
      const cursor = { dueAt: at(2), contractId: (twos[0] as Contract).contractId }
      expect(await due(at(9), 2, cursor)).toEqual([twos[1], twos[2]])
      await commit(ledger, pair, archive(one.contractId))
      expect(await due(at(2))).toEqual([])
      expect(await ledger.due({ template: rulesTemplate, before: everything }, 10)).toEqual([])
    })
  })
}
