import { expect, test } from 'vitest'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { byName, nothingKept } from '../daemon/questions.ts'
import { ask } from '../localnet/ask.ts'
import { advanceBy, type Running, startEmbedded, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'
import { mirrorFolder } from './mirror-folder.ts'

const hourMs = 3_600_000
const alice = 'alice-of-the-mirror.unverified.cns'
const live = { headers: { 'x-bft-live': '?1' } }

const mirrorOf = async (daemon: Pick<Running, 'report'>): Promise<MirrorStatus> =>
  (await daemon.report('/status')).mirror

const behind = async (asked: ReturnType<Running['get']>) => {
  const { status, headers } = await asked
  return [status, headers['x-bft-error']]
}

test('a name that the mirror served is not answered as absent by few others, live or after a restart', async () => {
  await using folder = await mirrorFolder()
  await using stage = await startStage()
  const { clock, localnet, names } = stage
  const seeds = localnet.superValidators.map(({ url }) => url)
  const config = { ...nothingKept, 'guard.file': `${folder.folder}/floors` }
  const user = localnet.superValidators[0]?.party ?? ''
  localnet.world.put({ name: alice, user, expiresAt: clock.wall() + 1_000 * hourMs })
  clock.setWall(clock.wall() + 3.04 * hourMs)
  const few = async () => {
    await stage.fault(names.slice(2), 'deny')
    await stage.fault(names.slice(0, 2), 'reset')
  }
  const running = await startRemote(seeds, { ...config, 'mirror.level': 'bindings' }, { clock })
  try {
    for (let seconds = 0; (await mirrorOf(running)).level !== 'bindings'; seconds++) {
      expect(seconds).toBeLessThan(180)
      await advanceBy(running, 1)
    }
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

test('an answer that was cached before the mirror served a newer one is not served after it', async () => {
  await using stage = await startStage()
  const { clock, localnet, names } = stage
  const seeds = localnet.superValidators.map(({ url }) => url)
  const user = localnet.superValidators[0]?.party ?? ''
  localnet.world.put({ name: alice, user, expiresAt: clock.wall() + 500 * hourMs })
  clock.setWall(clock.wall() + 2.9 * hourMs)
  const renewed = clock.wall() + 1_000 * hourMs
  localnet.world.renew(alice, renewed)
  clock.setWall(clock.wall() + 0.14 * hourMs)
  await stage.fault(names, { kind: 'lag', by: 0.2 * hourMs, only: ['by-name'] })
  const times = { 'cache.times.lookupAnsEntryByName.fresh': '10m' }
  await using running = await startRemote(seeds, { ...times, 'mirror.level': 'bindings' }, { clock })
  const since = Math.floor(clock.wall() / 1_000)
  const endOf = ({ text }: { text: string }) => Date.parse(JSON.parse(text).entry?.expires_at)
  expect(endOf(await running.get(byName(alice)))).toBeLessThan(renewed)
  for (let seconds = 0; (await mirrorOf(running)).level !== 'bindings'; seconds++) {
    expect(seconds).toBeLessThan(180)
    await advanceBy(running, 1)
  }
  expect(endOf(await running.get(byName(alice)))).toBe(renewed)
  const notBefore = { headers: { 'x-bft-not-before': `@${since}` } }
  expect(await behind(running.get(byName(alice), notBefore))).toEqual([502, 'behind'])
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
  const body = JSON.stringify({ duration: '20m' })
  await ask(localnet.control, '/time/advance', { method: 'POST', body })
  await Promise.all(heads)
  for (let polls = 0; polls < 5; polls++) await localnet.nextRequest(late[0] ?? '', 'updates')
  await eventually(async () => {
    const { level, degradedBecause, stream } = await mirrorOf(running)
    const isSaid = /^The followed updates are \d+ s behind the ledger/.test(degradedBecause ?? '')
    return level === 'bindings' && isSaid && Number(stream?.lagSeconds) > 600
  })
  expect(await behind(running.get(byName('carol.unverified.cns'), live))).toEqual([502, 'behind'])
})
