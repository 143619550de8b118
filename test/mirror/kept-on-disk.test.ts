import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { advanceBy, mirrorOf, type Running, type Stage, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { type MirrorFolder, mirrorFolder } from './mirror-folder.ts'

const alice = 'not-of-this-world.unverified.cns'
const path = (name: string) => `/api/scan/v0/ans-entries/by-name/${name}`
const hourMs = 3_600_000

let folder: MirrorFolder
let network: Stage

beforeAll(async () => {
  folder = await mirrorFolder()
  network = await startStage()
  const { world, superValidators } = network.localnet
  const user = superValidators[0]?.party ?? ''
  const expiresAt = network.clock.wall() + 1_000 * hourMs
  world.put({ name: alice, user, expiresAt, description: 'Alice' })
  network.clock.setWall(network.clock.wall() + 4 * hourMs)
})
afterAll(async () => {
  await network?.[Symbol.asyncDispose]()
  await folder?.[Symbol.asyncDispose]()
})

function start(other: Record<string, string> = {}): Promise<Running> {
  const urls = network.localnet.superValidators.map(({ url }) => url)
  const files = { 'mirror.file': folder.file, 'scanClient.rosterFile': join(folder.folder, 'roster.json') }
  return startRemote(urls, { 'mirror.level': 'bindings', ...files, ...other }, { clock: network.clock })
}

async function serving(daemon: Running): Promise<MirrorStatus> {
  for (let seconds = 0; seconds < 180; seconds++) {
    const mirror = await mirrorOf(daemon)
    if (mirror.level === 'bindings') return mirror
    await advanceBy(daemon, 1)
  }
  throw new Error(`after three minutes: ${JSON.stringify(await mirrorOf(daemon))}`)
}

async function drained() {
  await using daemon = await start()
  const { asOf, digest } = await serving(daemon)
  await eventually(() => existsSync(join(folder.folder, 'roster.json')))
  const { status, text } = await daemon.get(path(alice))
  expect(status).toBe(200)
  return { asOf, digest, text }
}

test('a restarted daemon answers names from the file while all super validators are silent', async () => {
  await network.fault(network.names, undefined)
  const before = await drained()
  await network.fault(network.names, 'reset')
  const asks = network.asks('by-name')
  await using daemon = await start()
  const { asOf, digest } = await mirrorOf(daemon)
  expect({ asOf, digest }).toEqual({ asOf: before.asOf, digest: before.digest })
  // Nobody says how late the ledger is, so the daemon trusts its own clock after half a minute.
  await advanceBy(daemon, 32)
  const { status, text, headers } = await daemon.get(path(alice))
  expect({ status, text }).toEqual({ status: 200, text: before.text })
  expect(headers['cache-status']).toBe('bft-scan-proxy; hit; detail=mirror')
  expect(headers['x-bft-as-of']).toContain(`@${Date.parse(asOf ?? '') / 1000};claim=binding;basis=snapshot`)
  expect(network.asks('by-name')).toBe(asks)
  expect((await daemon.get(path('nobody.unverified.cns'))).status).toBe(502)
})

test('a damaged file is set aside, names are read live, and the next drain makes a new file', async () => {
  await network.fault(network.names, undefined)
  await drained()
  const damaged = await damage(folder.file)
  // The scans reject requests for the snapshot, but they answer reads of names.
  await network.fault(network.names, { kind: 'status', only: ['acs'] })
  await using daemon = await start()
  expect((await readFile(`${folder.file}.damaged`)).equals(damaged)).toBe(true)
  const live = await daemon.get(path(alice))
  expect(live.status).toBe(200)
  expect(live.headers['cache-status']).not.toContain('mirror')
  const msg = 'the mirror cannot use its file; it goes on in memory'
  expect(daemon.lines().filter((line) => line['msg'] === msg)).toHaveLength(1)
  await network.fault(network.names, undefined)
  await serving(daemon)
  expect((await daemon.get(path(alice))).headers['cache-status']).toContain('detail=mirror')
})

/** Overwrites some bytes of the entries. */
async function damage(file: string): Promise<Buffer> {
  const handle = await open(file, 'r+')
  await handle.write(Buffer.alloc(64, 0x5a), 0, 64, 1_500)
  await handle.close()
  return readFile(file)
}
