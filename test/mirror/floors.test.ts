import { expect, test } from 'vitest'
import { byName, nothingKept } from '../daemon/questions.ts'
import { ask } from '../localnet/ask.ts'
import { advance } from '../support/caller.ts'
import {
  advanceBy,
  mirrorOf,
  type Running,
  type Stage,
  startEmbedded,
  startRemote,
  startStage,
} from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { sharedRedis } from '../support/redis.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'
import { mirrorFolder } from './mirror-folder.ts'

const hourMs = 3_600_000
const alice = 'alice-of-the-mirror.unverified.cns'
const live = { headers: { 'x-bft-live': '?1' } }

const behind = async (asked: ReturnType<Running['get']>) => {
  const { status, headers } = await asked
  return [status, headers['x-bft-error']]
}

function register({ world, superValidators }: Stage['localnet'], expiresAt: number): void {
  world.put({ name: alice, user: superValidators[0]?.party ?? '', expiresAt })
}

/** A network whose latest snapshot has the name of alice. */
async function network() {
  const stage = await startStage()
  const { clock, localnet } = stage
  register(localnet, clock.wall() + 500 * hourMs)
  clock.setWall(clock.wall() + 3.04 * hourMs)
  const seeds = localnet.superValidators.map(({ url }) => url)
  return { ...stage, stage, seeds, [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose]() }
}

const untilMirrored = async (running: Running) => {
  for (let seconds = 0; (await mirrorOf(running)).level === 'off'; seconds++) {
    expect(seconds).toBeLessThan(180)
    await advanceBy(running, 1)
  }
}
const endOf = ({ text }: { text: string }) => Date.parse(JSON.parse(text).entry?.expires_at)

test('a name that the mirror served is not answered as absent by few others, live or after a restart', async () => {
  await using folder = await mirrorFolder()
  await using made = await network()
  const { stage, clock, names, seeds } = made
  const config = { ...nothingKept, 'guard.file': `${folder.folder}/floors` }
  const few = async () => {
    await stage.fault(names.slice(2), 'deny')
    await stage.fault(names.slice(0, 2), 'reset')
  }
  const running = await startRemote(seeds, { ...config, 'mirror.level': 'bindings' }, { clock })
  try {
    await untilMirrored(running)
    await few()
    const served = await running.get(byName(alice))
    expect(served.headers['cache-status']).toContain('detail=mirror')
    expect(await behind(running.get(byName(alice), live))).toEqual([502, 'behind'])
    expect(await behind(running.get(byName('nobody.unverified.cns'), live))).toEqual([404, undefined])
  } finally {
    await running[Symbol.asyncDispose]()
  }
  await stage.fault(names, undefined)
  await using restarted = await startRemote(seeds, config, { clock })
  await few()
  expect(await behind(restarted.get(byName(alice)))).toEqual([502, 'behind'])
})

test('after a restart the mirror does not answer with an entry older than the renewal that was served before', async () => {
  await using folder = await mirrorFolder()
  await using made = await network()
  const { stage, clock, localnet, names, seeds } = made
  const files = { 'guard.file': `${folder.folder}/floors`, 'mirror.file': `${folder.folder}/mirror` }
  const config = { ...nothingKept, ...files, 'mirror.level': 'bindings' }
  const renewed = clock.wall() + 1_000 * hourMs
  {
    await using running = await startRemote(seeds, config, { clock })
    await untilMirrored(running)
    expect(endOf(await running.get(byName(alice)))).toBeLessThan(renewed)
    register(localnet, renewed)
    await advanceBy(running, 1)
    expect(endOf(await running.get(byName(alice), live))).toBe(renewed)
  }
  await using restarted = await startRemote(seeds, config, { clock })
  await untilMirrored(restarted)
  await stage.fault(names, 'reset')
  expect(await behind(restarted.get(byName(alice)))).toEqual([502, 'notEnoughScans'])
  await stage.fault(names, undefined)
  const served = await restarted.get(byName(alice))
  expect(endOf(served)).toBe(renewed)
  const again = await restarted.get(byName(alice))
  expect([endOf(again), again.headers['cache-status']]).toEqual([
    renewed,
    expect.stringContaining('detail=mirror'),
  ])
})

test('the mirror of a daemon does not answer with an entry older than another daemon of its Redis served', async () => {
  await using redis = await sharedRedis()
  await using made = await network()
  const { clock, localnet, seeds } = made
  const config = { ...nothingKept, 'cache.redis.url': redis.url }
  const overrides = { clock, redisPrefix: redis.prefix }
  await using mirroring = await startRemote(seeds, { ...config, 'mirror.level': 'bindings' }, overrides)
  await using other = await startRemote(seeds, config, overrides)
  for (const daemon of [mirroring, other])
    await eventually(async () => (await daemon.report('/status')).cache.redis === 'up')
  await untilMirrored(mirroring)
  const renewed = clock.wall() + 1_000 * hourMs
  expect(endOf(await mirroring.get(byName(alice)))).toBeLessThan(renewed)
  register(localnet, renewed)
  await advanceBy(mirroring, 1)
  let end = Number.NaN
  // The steps of the clock may be the deadline of a command to Redis, so there are several tries.
  for (let tries = 0; tries < 20 && end !== renewed; tries++) {
    expect(endOf(await other.get(byName(alice)))).toBe(renewed)
    await advanceBy(mirroring, 31)
    end = endOf(await mirroring.get(byName(alice)))
  }
  expect(end).toBe(renewed)
})

test('while the clock is slow, the mirror does not answer with an entry older than a live read gave', async () => {
  await using made = await network()
  const { clock: right, localnet, seeds } = made
  const clock = new ManualClock(right.wall())
  const config = { ...nothingKept, 'mirror.level': 'bindings' }
  await using running = await startRemote(seeds, config, { clock })
  await untilMirrored(running)
  const renewed = right.wall() + 1_000 * hourMs
  register(localnet, renewed)
  right.advance(1_000)
  expect(endOf(await running.get(byName(alice)))).toBeLessThan(renewed)
  clock.setWall(clock.wall() - 600_000)
  expect(endOf(await running.get(byName(alice), live))).toBe(renewed)
  expect(endOf(await running.get(byName(alice)))).toBe(renewed)
})

test('an answer that was cached before the mirror served a newer one is not served after it', async () => {
  await using stage = await startStage()
  const { clock, localnet, names } = stage
  const seeds = localnet.superValidators.map(({ url }) => url)
  register(localnet, clock.wall() + 500 * hourMs)
  clock.setWall(clock.wall() + 2.9 * hourMs)
  const renewed = clock.wall() + 1_000 * hourMs
  register(localnet, renewed)
  clock.setWall(clock.wall() + 0.14 * hourMs)
  await stage.fault(names, { kind: 'lag', by: 0.2 * hourMs, only: ['by-name'] })
  const times = { 'cache.times.lookupAnsEntryByName.fresh': '10m' }
  await using running = await startRemote(seeds, { ...times, 'mirror.level': 'bindings' }, { clock })
  const since = Math.floor(clock.wall() / 1_000)
  expect(endOf(await running.get(byName(alice)))).toBeLessThan(renewed)
  await untilMirrored(running)
  expect(endOf(await running.get(byName(alice)))).toBe(renewed)
  const notBefore = { headers: { 'x-bft-not-before': `@${since}` } }
  expect(await behind(running.get(byName(alice), notBefore))).toEqual([502, 'behind'])
})

test('a name that was served is not absent in the state from which the mirror goes on after a restart', async () => {
  await using folder = await mirrorFolder()
  await using network = await startEmbedded(nothingKept)
  const { localnet, names } = network.daemon
  if (localnet === undefined) throw new Error('it has a localnet')
  const seeds = localnet.superValidators.map(({ url }) => url)
  const config = {
    ...nothingKept,
    'guard.file': `${folder.folder}/floors`,
    'mirror.level': 'stream',
    'mirror.pollInterval': '100ms',
  }
  await moveBetweenSnapshots(localnet.control)
  await names?.register('bob', { name: 'bob.unverified.cns', url: '', description: '' })
  await advance(localnet.control ?? '', '35s')
  await names?.register('carol', { name: 'carol.unverified.cns', url: '', description: '' })
  const { now } = JSON.parse((await ask(localnet.control ?? '', '/time')).text)
  const started = () => startRemote(seeds, config, { clock: new ManualClock(Date.parse(now)) })
  {
    await using running = await started()
    expect((await running.get(byName('carol.unverified.cns'))).status).toBe(200)
  }
  for (const { name } of localnet.superValidators)
    await localnet.setFault(name, { kind: 'lag', by: 30_000, only: ['updates', 'updates-v1'] })
  await using restarted = await started()
  for (let seconds = 0; (await mirrorOf(restarted)).level !== 'stream'; seconds++) {
    expect(seconds).toBeLessThan(180)
    await advanceBy(restarted, 1)
  }
  const absent = await restarted.get(byName('dave.unverified.cns'))
  expect([absent.status, absent.headers['cache-status']]).toEqual([
    404,
    expect.stringContaining('detail=mirror'),
  ])
  const served = await restarted.get(byName('carol.unverified.cns'))
  expect([served.status, served.headers['x-bft-as-of']]).toEqual([200, undefined])
})

test('a liar and one that lags cannot say that there are no more updates: the level falls, and nothing older is served', async () => {
  await using running = await startEmbedded({
    ...nothingKept,
    'mirror.level': 'stream',
    'mirror.pollInterval': '100ms',
    'mirror.maxLag': '1s',
  })
  const { localnet, names } = running.daemon
  if (localnet === undefined) throw new Error('it has a localnet')
  await moveBetweenSnapshots(localnet.control)
  await eventually(async () => (await mirrorOf(running)).level === 'stream')
  const { entries } = await mirrorOf(running)
  await names?.register('carol', { name: 'carol.unverified.cns', url: '', description: '' })
  await eventually(async () => (await mirrorOf(running)).entries > entries)
  const [one, other, ...late] = localnet.superValidators.map(({ name }) => name)
  for (const name of late) await localnet.setFault(name, { kind: 'lag', by: 45 * 60_000 })
  for (const name of [one, other])
    await localnet.setFault(name ?? '', { kind: 'reset', only: ['updates', 'updates-v1', 'by-name'] })
  const heads = localnet.superValidators.map(({ name }) => localnet.nextRequest(name, 'migration-info'))
  await advance(localnet.control, '20m')
  await Promise.all(heads)
  for (let polls = 0; polls < 5; polls++) await localnet.nextRequest(late[0] ?? '', 'updates')
  await eventually(async () => {
    const { level, degradedBecause, stream } = await mirrorOf(running)
    const isSaid = /^The followed updates are \d+ s behind the ledger/.test(degradedBecause ?? '')
    return level === 'bindings' && isSaid && Number(stream?.lagSeconds) > 600
  })
  expect(await behind(running.get(byName('carol.unverified.cns'), live))).toEqual([502, 'behind'])
})
