import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { MirrorFile } from '../../src/mirror/mirror-file.ts'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { gridAt, gridMs } from '../../src/mirror/snapshot-grid.ts'
import { written } from '../config/config.ts'
import { ask } from '../localnet/ask.ts'
import { type MirrorFolder, mirrorFolder } from '../mirror/mirror-folder.ts'
import { advanceBy, startRemote } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { DaemonProcess } from '../support/process.ts'
import { byName } from './questions.ts'

const present = 'present.unverified.cns'
const missing = ['missing-1.unverified.cns', 'missing-2.unverified.cns']
const hourMs = 3_600_000
/**
 * The latest snapshot by the machine's clock, which the daemons use. The mirror's file has the snapshot before
 * `latest`.
 */
const latest = gridAt(Date.now())
const kept = latest - gridMs
const keptAsOf = new Date(kept).toISOString()

let folder: MirrorFolder
let localnet: WorldLocalnet

beforeAll(async () => {
  folder = await mirrorFolder()
  const clock = new ManualClock(kept - hourMs)
  localnet = await startLocalnet({ superValidators: 4 }, { clock })
  const user = localnet.superValidators[0]?.party ?? ''
  for (const name of [present, ...missing])
    localnet.world.put({ name, user, expiresAt: latest + 99 * hourMs, description: '' })
  clock.setWall(kept + hourMs)
  {
    const urls = localnet.superValidators.map(({ url }) => url)
    await using daemon = await startRemote(urls, { 'mirror.level': 'bindings', ...files() }, { clock })
    for (let seconds = 0; (await daemon.report('/status')).mirror.level !== 'bindings'; seconds++) {
      expect(seconds).toBeLessThan(180)
      await advanceBy(daemon, 1)
    }
  }
  // The scans' clock is ten minutes ahead of the daemons' clock. If the next snapshot falls due during a test, the
  // scans already have it.
  clock.setWall(Date.now() + hourMs / 6)
}, 60_000)
afterAll(async () => {
  await localnet?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

function files() {
  return { 'mirror.file': folder.file, 'scanClient.rosterFile': join(folder.folder, 'roster.json') }
}

function serve(): Promise<DaemonProcess> {
  const scanClient = { allowHttp: true, allowPrivate: true, minimumVoters: 1 }
  return DaemonProcess.start({
    NETWORK: 'remote',
    SCAN_SEED_URLS: localnet.superValidators.map(({ url }) => url).join(','),
    NODE_CONFIG: JSON.stringify(written(files(), { scanClient, mirror: { level: 'bindings' } })),
  })
}

async function mirrorOf(operations: string): Promise<MirrorStatus> {
  return JSON.parse((await ask(operations, '/status')).text).mirror
}

async function answered(http: string) {
  const { status, headers } = await ask(http, byName(present))
  return { status, isMirrored: String(headers['cache-status']).includes('detail=mirror') }
}

function hasStop(file: string): boolean {
  return new MirrorFile({ file, network: 'remote' }).load()?.withheld.stop !== undefined
}

async function fault(what: Parameters<WorldLocalnet['setFault']>[1]): Promise<void> {
  for (const { name } of localnet.superValidators) await localnet.setFault(name, what)
}

test('a set that a quorum contradicted is not served after SIGKILL and SIGTERM, until a later one is taken', async () => {
  await fault(missing.map((name) => ({ kind: 'snapshot', how: 'dropped', name })))
  let why: string | null
  {
    await using daemon = await serve()
    const { operations } = await daemon.listening()
    expect(await daemon.said('the mirror took no set')).toMatchObject({ outcome: 'withdrawn' })
    const mirror = await mirrorOf(operations)
    why = mirror.degradedBecause
    expect(mirror).toMatchObject({ level: 'off', asOf: keptAsOf })
    expect(why).toMatch(/^The new snapshot lacks 2 names that have not expired/)
    await eventually(() => hasStop(folder.file))
    daemon.signal('SIGKILL')
    expect(await daemon.ended).toMatchObject({ signal: 'SIGKILL' })
  }
  // Without snapshots, the daemon cannot find the contradiction again. It must know the contradiction from its file.
  await fault({ kind: 'status', only: ['acs'] })
  for (const after of ['SIGKILL', 'SIGTERM']) {
    await using daemon = await serve()
    const { http, operations } = await daemon.listening()
    expect(await mirrorOf(operations), after).toMatchObject({
      level: 'off',
      degradedBecause: why,
      asOf: keptAsOf,
    })
    expect(await answered(http), after).toEqual({ status: 200, isMirrored: false })
    daemon.signal('SIGTERM')
    expect(await daemon.ended, after).toMatchObject({ code: 0, errors: [] })
  }
  await fault(undefined)
  await using daemon = await serve()
  const { http, operations } = await daemon.listening()
  await daemon.said('the mirror serves names')
  const { level, asOf } = await mirrorOf(operations)
  expect({ level, isLater: Date.parse(asOf ?? '') > kept }).toEqual({ level: 'bindings', isLater: true })
  expect(await answered(http)).toEqual({ status: 200, isMirrored: true })
}, 90_000)
