import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import type { Heard } from '../localnet/ask.ts'
import { advance } from '../support/caller.ts'
import { type Running, startEmbedded } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'
import { type MirrorFolder, mirrorFolder } from './mirror-folder.ts'

const entries = '/api/scan/v0/ans-entries'
const byName = (name: string) => `${entries}/by-name/${name}`
const nobody = 'nobody.unverified.cns'

let folder: MirrorFolder
let running: Running<undefined>

beforeAll(async () => {
  folder = await mirrorFolder()
  running = await startEmbedded({
    'mirror.level': 'stream',
    'mirror.file': folder.file,
    'mirror.pollInterval': '100ms',
  })
  await moveBetweenSnapshots(running.daemon.localnet?.control)
  await until(({ level }) => level === 'stream')
}, 30_000)

afterAll(async () => {
  await running?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

async function mirror(): Promise<MirrorStatus> {
  return (await running.report('/status')).mirror
}

async function until(isThere: (status: MirrorStatus) => boolean): Promise<MirrorStatus> {
  await eventually(async () => isThere(await mirror()))
  return mirror()
}

/**
 * Asks until the mirror answers with the status from the state of the ledger, because the mirror learns of each update
 * after a delay.
 */
async function mirrored(path: string, status: number): Promise<Heard> {
  let heard = await running.get(path)
  await eventually(async () => {
    heard = await running.get(path)
    return heard.status === status && heard.headers['x-bft-as-of']?.includes(';claim=state;') === true
  })
  return heard
}

async function register(label: string): Promise<string> {
  const name = `${label}.unverified.cns`
  await running.daemon.names?.register(label, { name, url: '', description: '' })
  return name
}

async function live(path: string): Promise<string> {
  return (await running.get(path, { headers: { 'x-bft-live': '?1' } })).text
}

describe('while the ledger is followed', () => {
  test('an absence is answered from the state, and a name that is registered then is found', async () => {
    const absent = await mirrored(byName('carol.unverified.cns'), 404)
    expect(absent.headers['x-bft-as-of']).toContain(';claim=state;basis=stream;generation=')
    expect(absent.text).toBe(await live(byName('carol.unverified.cns')))
    const carol = await register('carol')
    const found = await mirrored(byName(carol), 200)
    expect(found.text).toBe(await live(byName(carol)))
  })

  test('lists and lookups by party have the bytes of a live read', async () => {
    const carla = await register('carla')
    const { entry } = JSON.parse((await mirrored(byName(carla), 200)).text)
    const byParty = `${entries}/by-party/${encodeURIComponent(entry.user)}`
    expect((await mirrored(byParty, 200)).text).toBe(await live(byParty))
    const list = `${entries}?name_prefix=car&page_size=10`
    expect((await mirrored(list, 200)).text).toBe(await live(list))
  })

  test('a list that may hold the names of super validators is read live', async () => {
    const heard = await running.get(`${entries}?name_prefix=&page_size=100`)
    expect(heard.status).toBe(200)
    expect(heard.headers['cache-status']).not.toContain('mirror')
  })

  test('the next snapshot has the same names', async () => {
    const { generation, asOf, ageSeconds, nextDrain, nextDrainSeconds } = await mirror()
    const now = Date.parse(asOf ?? '') + (ageSeconds ?? 0) * 1_000
    expect(Math.abs(now + nextDrainSeconds * 1_000 - Date.parse(nextDrain))).toBeLessThan(2_000)
    // One minute after the instant of the snapshot, the drain of that snapshot is still a minute away. The next name is
    // registered between the instant and the drain.
    const control = running.daemon.localnet?.control ?? ''
    await advance(control, `${Math.round((Date.parse(nextDrain) - now) / 1_000) - 60}s`)
    await mirrored(byName(await register('dave')), 200)
    await advance(control, '2m')
    const status = await until((now) => now.generation > generation && now.level === 'stream')
    expect(status.reconciled?.outcome).toBe('equal')
    await mirrored(byName('carol.unverified.cns'), 200)
    await mirrored(byName('dave.unverified.cns'), 200)
  })

  test('absences are still known when all super validators are silent, until the state is too old', async () => {
    await mirrored(byName(nobody), 404)
    for (const { name } of running.daemon.localnet?.superValidators ?? [])
      await running.daemon.localnet?.setFault(name, { kind: 'reset' })
    const heard = await running.get(byName(nobody))
    expect(heard.status).toBe(404)
    expect(heard.headers['cache-status']).toContain('detail=mirror')
  })
})

test('a localnet whose scans listen at other ports after a restart keeps the level of its mirror', async () => {
  await using kept = await mirrorFolder()
  const config = {
    'ledger.file': `${kept.folder}/ledger.db`,
    'mirror.level': 'stream',
    'mirror.file': kept.file,
    'mirror.pollInterval': '100ms',
  }
  const levelOf = async (daemon: Running<undefined>) => (await daemon.report('/status')).mirror
  const before = await startEmbedded(config)
  const { localnet } = before.daemon
  await moveBetweenSnapshots(localnet?.control)
  await eventually(async () => (await levelOf(before)).level === 'stream')
  const ports = localnet?.superValidators.map(({ url }) => url)
  await before[Symbol.asyncDispose]()
  await using after = await startEmbedded(config)
  expect(after.daemon.localnet?.superValidators.map(({ url }) => url)).not.toEqual(ports)
  await eventually(async () => (await levelOf(after)).level === 'stream')
  expect((await levelOf(after)).generation).toBe(1)
})
