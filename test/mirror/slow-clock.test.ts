import { describe, expect, test } from 'vitest'
import { startLocalnet } from '../../src/localnet/localnet.ts'
import { advanceBy, startRemote } from '../support/daemon.ts'
import { ago, ManualClock } from '../support/manual-clock.ts'
import { followed } from './ledger-model.ts'
import {
  byName,
  entryOf,
  hourMs,
  Kept,
  liveAbsence,
  liveValue,
  mirrored,
  party,
  setOf,
  t0,
  take,
  written,
} from './mirrored.ts'

const alice = entryOf('alice.unverified.cns')
const bob = entryOf('bob.unverified.cns')

describe('while the own clock is behind the ledger', () => {
  test('what a live read finds is not kept, because the time of its agreement is not known', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(2 * hourMs)
    find(alice.name)
    clock.setWall(t0 + hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(find(bob.name)).toBeUndefined()
    clock.setWall(t0 + 2 * hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(find(bob.name)).toEqual(bob)
  })

  test('a clock that is slow by seconds keeps what live reads find, as of the time of the ledger', () => {
    const { mirror, clock } = mirrored()
    take(mirror, setOf([alice]))
    mirror.time.learn(t0 + 30_000, ago(clock))
    mirror.agreed(byName(bob.name), liveValue(bob))
    expect(mirror.find(byName(bob.name), undefined, undefined)?.asOf?.at).toBe(t0 + 30_000)
  })

  test('a name that a live read contradicts stays live over a snapshot from before that', () => {
    const { mirror, clock, find } = mirrored()
    take(mirror, setOf([alice]))
    clock.advance(3 * hourMs + 60_000)
    find(alice.name)
    clock.setWall(t0 + 2 * hourMs)
    mirror.agreed(byName(alice.name), liveAbsence(alice.name))
    take(mirror, setOf([alice], { at: t0 + 3 * hourMs }))
    expect(find(alice.name)).toBeUndefined()
  })

  test('the state does not take back what a live read said, before it has come as far', () => {
    const { mirror, clock, ledger, follow, served } = followed()
    const status = () => served(bob.name)?.answer.status
    take(mirror, setOf([]))
    clock.advance(2 * hourMs)
    follow()
    expect(status()).toBe(404)
    clock.setWall(t0 + hourMs)
    mirror.agreed(byName(bob.name), liveValue(bob))
    ledger.pass(t0 + 90 * 60_000)
    follow()
    expect(status()).toBeUndefined()
    ledger.pass(t0 + 2 * hourMs + 1)
    follow()
    expect(status()).toBe(404)
  })
})

test('a set from the file is not served before scans have said how late the ledger is', async () => {
  const kept = new Kept()
  take(mirrored({}, { kept }).mirror, setOf([alice]))
  const { mirror, find, told, clock } = mirrored({}, { kept, knowsHead: false })
  mirror.load()
  expect([find(alice.name), mirror.degradation, told]).toEqual([undefined, { kind: 'no-head' }, []])
  mirror.learnHead(t0 + hourMs, ago(clock), ago(clock))
  expect([find(alice.name), mirror.degradation, told]).toEqual([alice, undefined, ['restored']])
})

test('where scans stay silent, the own clock is trusted if it is not before the set', async () => {
  const kept = new Kept()
  take(mirrored({}, { kept }).mirror, setOf([alice]))
  for (const [wall, found] of [
    [t0 - 1, undefined],
    [t0, alice],
  ] as const) {
    const { mirror, find } = mirrored({}, { kept, knowsHead: false, clock: new ManualClock(wall) })
    mirror.load()
    mirror.trustClock()
    expect(find(alice.name)).toEqual(found)
  }
})

test('a restart with a slow clock revives no name that had expired when the last update was followed', async () => {
  const kept = new Kept()
  const brief = entryOf('brief.unverified.cns', { expires_at: '2026-01-01T01:00:00Z' })
  const { mirror, clock, ledger, follow } = followed(undefined, { kept })
  take(mirror, setOf([brief]))
  clock.advance(hourMs + 2_000)
  ledger.write('other.unverified.cns', t0 + hourMs + 1_000, { lifeMs: hourMs, user: party('bob') })
  follow()
  await written()
  mirror.judgePackage('The agreed AmuletRules use version 0.1.99.')
  mirror.judgePackage(undefined)
  await written()
  const next = mirrored({}, { kept, clock: new ManualClock(t0 + 10_000) })
  next.mirror.load()
  expect(next.mirror.set?.entries).toEqual([brief])
  expect(next.find(brief.name)).toBeUndefined()
})

test('a daemon whose clock is hours behind serves no name that has expired, from its first answer on', async () => {
  const [network, own] = [new ManualClock(t0), new ManualClock(t0 + 3.1 * hourMs)]
  await using localnet = await startLocalnet({ superValidators: 4 }, { clock: network })
  const names = ['brief.unverified.cns', 'long.unverified.cns'] as const
  const put = (name: string, lifeMs: number) =>
    localnet.world.put({ name, user: party('alice'), expiresAt: network.wall() + lifeMs, description: '' })
  put(names[0], 3.5 * hourMs)
  put(names[1], 100 * hourMs)
  network.setWall(t0 + 6.1 * hourMs)
  // The updates of a made-up ledger end when it starts, but its snapshots go on.
  for (const { name } of localnet.superValidators)
    await localnet.setFault(name, {
      kind: 'status',
      code: 404,
      only: ['migration-info', 'latest-record-time'],
    })
  const seeds = localnet.superValidators.map(({ url }) => url)
  const config = { 'mirror.level': 'bindings', 'mirror.spotCheckInterval': '24h' }
  await using running = await startRemote(seeds, config, { clock: own })
  const path = (name: string) => `/api/scan/v0/ans-entries/by-name/${name}`
  for (let seconds = 0; (await running.report('/status')).mirror.level === 'off'; seconds += 5) {
    expect(seconds).toBeLessThan(600)
    for (const name of names) await running.get(path(name))
    await advanceBy(running, 5)
  }
  const [brief, long] = await Promise.all(names.map((name) => running.get(path(name))))
  expect(long?.headers['cache-status']).toContain('detail=mirror')
  expect([brief?.status, brief?.headers['x-bft-as-of']]).toEqual([404, undefined])
})
