import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { EmbeddedLedger } from '../../../src/ledger/embedded/embedded-ledger.ts'
import { foundNetwork, registerName, tap } from '../registration.ts'
import { openLedger, temporaryFolder } from './open.ts'

/** Registers a name for each of `count` new users, because a registration creates and archives contracts. */
async function write(ledger: EmbeddedLedger, now: number, from: number, count: number): Promise<void> {
  const network = await foundNetwork(ledger, now)
  for (let each = from; each < from + count; each++) {
    const user = await ledger.partyOf(`user-${each}`, `user-${each}`)
    const coin = await tap(ledger, network, user, '500.0', `tap-${each}`)
    await registerName(ledger, network, user, coin, `name-${each}.unverified.cns`, `register-${each}`)
  }
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
    parties: await Promise.all(['dso', 'user-0', 'user-1'].map((user) => ledger.findParty(user))),
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
    await using opened = await openLedger({ file })
    await write(opened.ledger, Math.round(opened.clock.wall() * 1000), 0, 4)
  }
  const total = rows(file, 'log')
  const nodes = rows(file, 'nodes')
  for (const upTo of [3, 4, 9, 16]) {
    await using opened = await openLedger({ file })
    const { ledger } = opened
    const before = await seen(ledger, upTo)
    expect(await ledger.prune(upTo)).toBe(upTo)
    expect(await ledger.prunedUpTo()).toBe(upTo)
    expect(await seen(ledger, upTo)).toEqual(before)
    expect(await ledger.updates(0, before.end, 1_000)).toEqual(before.updates)
    await ledger[Symbol.asyncDispose]()
    await using again = await openLedger({ file })
    expect(await again.ledger.prunedUpTo()).toBe(upTo)
    expect(await seen(again.ledger, upTo)).toEqual(before)
  }
  expect(rows(file, 'log')).toBeLessThan(total)
  expect(rows(file, 'nodes')).toBeLessThan(nodes)
})

test('a pruned ledger goes on, and can be pruned again', async () => {
  await using folder = await temporaryFolder()
  const { file } = folder
  const clock = await (async () => {
    await using opened = await openLedger({ file })
    const { ledger } = opened
    const now = Math.round(opened.clock.wall() * 1000)
    await write(ledger, now, 0, 2)
    await ledger.prune(await ledger.end())
    await write(ledger, now, 2, 2)
    const end = await ledger.end()
    const before = await seen(ledger, end - 2)
    expect(await ledger.prune(end - 2)).toBe(end - 2)
    expect(await seen(ledger, end - 2)).toEqual(before)
    return opened.clock
  })()
  await using again = await openLedger({ file }, { clock })
  await write(again.ledger, Math.round(clock.wall() * 1000), 4, 1)
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
  const { ledger, clock } = opened
  const network = await foundNetwork(ledger, Math.round(clock.wall() * 1000))
  const user = await ledger.partyOf('user', 'user')
  const first = await tap(ledger, network, user, '1.0', 'tap')
  expect(await tap(ledger, network, user, '1.0', 'tap')).toBe(first)
  await ledger.partyOf('another', 'another')
  await ledger.prune((await ledger.end()) - 1)
  expect(await tap(ledger, network, user, '1.0', 'tap')).not.toBe(first)
})
