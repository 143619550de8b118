import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { EmbeddedLedger } from '../../../src/ledger/embedded/embedded-ledger.ts'
import { type Network, openNetwork } from '../../automation/network.ts'
import { entryCreate, pairOf, submission, transactionOf } from '../submissions.ts'
import { openLedger, temporaryFolder } from './open.ts'

/** Registers a name for each of `count` new users, because a registration creates and archives contracts. */
async function write(net: Network, from: number, count: number): Promise<void> {
  for (let each = from; each < from + count; each++)
    await net.register(await net.user(`user-${each}`), `name-${each}`)
}

async function seen(ledger: EmbeddedLedger, from: number) {
  const end = await ledger.end()
  const active = []
  for (let at = from; at <= end; at++) active.push(await ledger.activeContracts(at, 1_000))
  return {
    end,
    checkpoint: await ledger.checkpoint(),
    updates: await ledger.updates(from, end, 1_000),
    entries: await ledger.entries({ limit: 1_000 }),
    parties: await Promise.all(['user-0', 'user-1'].map((user) => ledger.findParty(user))),
    active,
  }
}

function rows(file: string, table: string): number {
  using db = new DatabaseSync(file, { readOnly: true })
  return (db.prepare(`SELECT count(*) AS rows FROM ${table}`).get() as { rows: number }).rows
}

test('pruning removes the pruned updates and nothing else: at once and after a start', async () => {
  await using folder = await temporaryFolder()
  const { file } = folder
  {
    await using net = await openNetwork({ file })
    await write(net, 0, 4)
  }
  const total = rows(file, 'log')
  const contracts = rows(file, 'contracts')
  for (const upTo of [3, 4, 9, 16]) {
    await using opened = await openLedger(file)
    const { ledger } = opened
    const before = await seen(ledger, upTo)
    expect(await ledger.prune(upTo)).toBe(upTo)
    expect(await ledger.prunedUpTo()).toBe(upTo)
    expect(await seen(ledger, upTo)).toEqual(before)
    expect(await ledger.updates(0, before.end, 1_000)).toEqual(before.updates)
    await ledger[Symbol.asyncDispose]()
    await using again = await openLedger(file)
    expect(await again.ledger.prunedUpTo()).toBe(upTo)
    expect(await seen(again.ledger, upTo)).toEqual(before)
  }
  expect(rows(file, 'log')).toBeLessThan(total)
  expect(rows(file, 'contracts')).toBeLessThan(contracts)
})

test('a pruned ledger goes on, and can be pruned again', async () => {
  await using folder = await temporaryFolder()
  const { file } = folder
  {
    await using net = await openNetwork({ file })
    const { ledger } = net
    await write(net, 0, 2)
    await ledger.prune(await ledger.end())
    await write(net, 2, 2)
    const end = await ledger.end()
    const before = await seen(ledger, end - 2)
    expect(await ledger.prune(end - 2)).toBe(end - 2)
    expect(await seen(ledger, end - 2)).toEqual(before)
  }
  await using again = await openNetwork({ file })
  await write(again, 4, 1)
  expect((await again.ledger.entries({ limit: 100 })).length).toBe(5)
})

test('the last update stays, and pruned updates do not come back', async () => {
  await using opened = await openLedger()
  const { ledger } = opened
  for (const user of ['a', 'b', 'c', 'd']) await ledger.partyOf(user, user)
  expect(await ledger.prune(2)).toBe(2)
  expect(await ledger.prune(1)).toBe(2)
  expect(await ledger.prune(100)).toBe(3)
  const [last, ...none] = await ledger.updates(0, 100, 10)
  expect([last?.offset, none]).toEqual([4, []])
  expect(await ledger.findUpdate(last?.updateId ?? '')).toEqual(last)
})

test('a command whose update was pruned may be submitted again', async () => {
  await using opened = await openLedger()
  const { ledger } = opened
  const pair = await pairOf(ledger)
  const again = submission([pair.dso, pair.user], [entryCreate(pair, 'a')])
  const { updateId } = transactionOf(await ledger.submit(again))
  expect(transactionOf(await ledger.submit(again)).updateId).toBe(updateId)
  await ledger.partyOf('another', 'another')
  await ledger.prune((await ledger.end()) - 1)
  expect(transactionOf(await ledger.submit(again)).updateId).not.toBe(updateId)
})
