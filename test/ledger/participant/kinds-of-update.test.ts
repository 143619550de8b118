import { expect, test } from 'vitest'
import type { UpdateFormat } from '../../../src/ledger/visibility/format.ts'
import type { Move } from '../../support/fake-participant/entries.ts'
import { all, eventsOf, first, isCheckpoint, requested } from '../reads.ts'
import { type Opened, openReads } from './open.ts'

const private_ = 'private-sync::1220ab'

async function openMoved(): Promise<Opened & { readonly contractId: string }> {
  const opened = await openReads()
  const { fake, party } = opened
  const contractId = fake.create('Splice.Ans:AnsEntry', [party], { user: party, name: 'moved' })
  const { contract, synchronizerId: source } = fake.held(contractId) ?? {}
  if (contract === undefined || source === undefined) throw new Error('no contract')
  const reassign = (kind: Move['kind'], synchronizerId: string) => {
    const offset = fake.end + 1
    const move = {
      kind,
      nodeId: 0,
      contract,
      reassignmentId: '00aa',
      source,
      target: private_,
      submitter: party,
      counter: 1,
    }
    const place = {
      offset,
      updateId: fake.updateIdAt(offset),
      recordTime: '2026-01-01T00:00:00Z',
      synchronizerId,
    }
    fake.add({
      kind: 'reassignment',
      ...place,
      commandId: 'move',
      actAs: [party],
      workflowId: '',
      moves: [move],
    })
  }
  reassign('unassign', source)
  reassign('assign', private_)
  return Object.assign(opened, { contractId })
}

const reassignmentsOf = (party: string): UpdateFormat => ({
  includeTransactions: undefined,
  includeReassignments: eventsOf(party),
  includeTopologyEvents: undefined,
})

test('reassignments of a participant are delivered as it writes them, with and without an end', async () => {
  await using opened = await openMoved()
  const { reads, party, contractId, signal } = opened
  const request = {
    beginExclusive: 0,
    descendingOrder: false,
    updateFormat: requested(reassignmentsOf(party)),
  }
  const bounded = await all(reads.updates({ ...request, endInclusive: 3 }, signal))
  const [left, arrived] = bounded.map(({ text }) => JSON.parse(text).update.Reassignment.value)
  expect(left).toMatchObject({
    commandId: 'move',
    events: [{ JsUnassignedEvent: { value: { contractId, target: private_, witnessParties: [party] } } }],
  })
  expect(arrived).toMatchObject({
    synchronizerId: private_,
    events: [{ JsAssignmentEvent: { target: private_, createdEvent: { contractId, acsDelta: true } } }],
  })
  expect(await first(2, reads.updates({ ...request, endInclusive: undefined }, signal))).toEqual(bounded)
  const key = { by: 'offset', offset: 2 } as const
  expect(await reads.update({ key, updateFormat: request.updateFormat })).toEqual(bounded[0])
})

test('a reader of transactions gets no reassignments, and only their readers find them', async () => {
  await using opened = await openMoved()
  const { fake, party, reads, signal, updates } = opened
  const transactions = { eventFormat: eventsOf(party), transactionShape: 'ACS_DELTA' } as const
  const format = {
    ...reassignmentsOf(party),
    includeReassignments: undefined,
    includeTransactions: transactions,
  }
  const request = {
    beginExclusive: 0,
    endInclusive: 3,
    descendingOrder: false,
    updateFormat: requested(format),
  }
  expect(await all(reads.updates(request, signal))).toHaveLength(1)
  const bob = fake.user('token-of-bob', 'bob')
  const others = await updates.open('token-of-bob')
  const asked = { ...request, updateFormat: requested(reassignmentsOf(bob)) }
  expect(await all(others.updates(asked, signal))).toEqual([])
})

test('a contract that arrived is active where it is now', async () => {
  await using opened = await openMoved()
  const { reads, party, signal } = opened
  const activeAt = async (activeAtOffset: number) => {
    const request = { activeAtOffset, eventFormat: eventsOf(party), streamContinuationToken: Buffer.alloc(0) }
    const elements = await all(reads.activeContracts(request, signal))
    return elements.map(({ text }) => {
      const { synchronizerId, reassignmentCounter } = JSON.parse(text).contractEntry.JsActiveContract
      return { synchronizerId, reassignmentCounter }
    })
  }
  expect(await activeAt(3)).toEqual([{ synchronizerId: private_, reassignmentCounter: 1 }])
  expect(await activeAt(2)).toEqual([])
})

test('checkpoints come on streams without an end only', async () => {
  await using opened = await openReads()
  const { fake, party, reads, signal } = opened
  fake.grow(party, 2)
  fake.skip(3)
  const transactions = { eventFormat: eventsOf(party), transactionShape: 'ACS_DELTA' } as const
  const updateFormat = requested({
    ...reassignmentsOf(party),
    includeReassignments: undefined,
    includeTransactions: transactions,
  })
  const request = { beginExclusive: 0, descendingOrder: false, updateFormat }
  const live = reads.updates({ ...request, endInclusive: undefined }, signal)
  void fake.until(() => fake.streams.length === 1).then(() => fake.checkpoint())
  const [last] = (await first(3, live)).slice(-1)
  expect(last && isCheckpoint(last) && JSON.parse(last.text)).toMatchObject({
    update: {
      OffsetCheckpoint: { value: { offset: 5, synchronizerTimes: [{ synchronizerId: expect.any(String) }] } },
    },
  })
  fake.checkpoint()
  const bounded = await all(reads.updates({ ...request, endInclusive: 5 }, signal))
  expect(bounded.filter(isCheckpoint)).toEqual([])
})
