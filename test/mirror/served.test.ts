import { describe, expect, test } from 'vitest'
import { lookupAnsEntryByName } from '../../src/core/reads/ans.ts'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { configOf, written } from '../config/config.ts'
import {
  advanceBy,
  mirrorOf,
  type Stage,
  type StageOptions,
  startEmbedded,
  startStage,
} from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { moveBetweenSnapshots } from './between-snapshots.ts'

const hourMs = 3_600_000
const config = { 'mirror.level': 'bindings' }
const path = (name: string) => `/api/scan/v0/ans-entries/by-name/${name}`

async function startMirrored(options: StageOptions = {}): Promise<Stage> {
  const stage = await startStage({ ...options, config: { ...config, ...options.config } })
  await until(stage, ({ level }) => level === 'bindings')
  return stage
}

async function until(stage: Stage, isThere: (mirror: MirrorStatus) => boolean): Promise<MirrorStatus> {
  // Long pages are read on another thread, which works in real time.
  for (let looks = 0; looks < 1_800; looks++) {
    const mirror = await mirrorOf(stage)
    if (isThere(mirror)) return mirror
    if (looks % 10 === 0) await advanceBy(stage, 1)
  }
  throw new Error(`after three minutes: ${JSON.stringify(await mirrorOf(stage))}`)
}

async function register(stage: Stage, names: Readonly<Record<string, number>>): Promise<void> {
  const { world, superValidators } = stage.localnet
  const user = superValidators[0]?.party ?? ''
  for (const [name, expiresAt] of Object.entries(names))
    world.put({ name, user, expiresAt, description: name })
  const { generation: before } = await mirrorOf(stage)
  skipHours(stage, 3 + 2 / 60)
  await until(stage, ({ generation }) => generation > before)
}

/** Moves the wall clock alone, so that no timer becomes due. */
function skipHours(stage: Stage, hours: number): void {
  stage.clock.setWall(stage.clock.wall() + hours * hourMs)
}

const alice = 'not-of-this-world.unverified.cns'

describe('a name of the snapshot', () => {
  test('is answered without a request to any scan, with the bytes of a live read', async () => {
    await using stage = await startMirrored()
    await register(stage, { [alice]: stage.clock.wall() + 1_000 * hourMs })
    const before = stage.asks('by-name')
    const { status, text, headers } = await stage.get(path(alice))
    expect(stage.asks('by-name')).toBe(before)
    expect(status).toBe(200)
    expect(headers).toMatchObject({ 'cache-status': 'bft-scan-proxy; hit; detail=mirror', age: '0' })
    const question = { read: lookupAnsEntryByName, params: { name: alice } }
    const live = await stage.daemon.scan.reader.liveAnswer(question, new AbortController().signal)
    expect(text).toBe(live?.body.toString())
    expect((await stage.metrics()).value('scan_proxy_mirror_answers_total', { claim: 'binding' })).toBe(1)
  })

  test('is found while all scans are silent until it expires, and one that is absent is a 502', async () => {
    await using stage = await startMirrored()
    await register(stage, { [alice]: stage.clock.wall() + 5 * hourMs })
    await stage.fault(stage.names, 'reset')
    expect((await stage.get(path(alice))).status).toBe(200)
    expect((await stage.get(path('nobody.unverified.cns'))).status).toBe(502)
    skipHours(stage, 2)
    expect((await stage.get(path(alice))).status).toBe(502)
    skipHours(stage, -1)
    expect((await stage.get(path(alice))).status).toBe(502)
  })

  test('is shown on the page with its time and with who agreed on it, beside the live vote', async () => {
    await using stage = await startMirrored()
    await register(stage, { [alice]: stage.clock.wall() + 1_000 * hourMs })
    const { asOf } = await mirrorOf(stage)
    const { text } = await stage.operations(`/?by=name&q=${alice}`)
    const says = text.replaceAll(/<[^>]*>/g, '')
    expect(says).toContain('4 of 4 super validators gave this answer')
    expect(says).toContain(
      `Callers get this answer from the mirror, without a request to anybody: as of ${asOf?.slice(11, 16)} UTC, from the snapshot that sv-`,
    )
    expect(says).toContain('agreed on. It is the same.')
    expect((await stage.metrics()).value('scan_proxy_mirror_answers_total', { claim: 'binding' })).toBe(0)
    expect((await stage.operations('/?by=name&q=dso.cns')).text).not.toContain('from the <strong>mirror')
  })
})

test('a new name costs the first caller a live read, and the next one nothing', async () => {
  await using stage = await startMirrored()
  const user = stage.localnet.superValidators[0]?.party ?? ''
  stage.localnet.world.put({ name: alice, user, expiresAt: stage.clock.wall() + 1_000 * hourMs })
  expect((await stage.get(path(alice))).headers['cache-status']).not.toContain('mirror')
  const again = await stage.get(path(alice))
  expect(again.headers['cache-status']).toContain('detail=mirror')
  expect((await mirrorOf(stage)).overlay).toBe(1)
})

test('a set whose quorum no longer meets the threshold is drained again, and names are read live meanwhile', async () => {
  await using stage = await startMirrored()
  await register(stage, { [alice]: stage.clock.wall() + 1_000 * hourMs })
  const strict = configOf(
    written({
      network: 'localnet',
      'ledger.driver': 'none',
      'localnet.superValidators': 4,
      'http.port': 0,
      'operations.port': 0,
      'scanClient.auditShare': 0,
      'scanClient.threshold': 3,
      ...config,
    }),
  )
  await stage.daemon.reload(strict)
  expect(await mirrorOf(stage)).toMatchObject({ level: 'off', wanted: 'bindings' })
  expect((await stage.get(path(alice))).headers['cache-status']).not.toContain('mirror')
  const { agreed } = await until(stage, ({ level }) => level === 'bindings')
  expect(agreed).toHaveLength(3)
  expect((await stage.get(path(alice))).headers['cache-status']).toContain('detail=mirror')
})

test('spot checks ask live, and two differences within an hour switch the level off until the next set', async () => {
  await using stage = await startMirrored({ config: { 'mirror.spotCheckInterval': '10s' } })
  const names = Array.from({ length: 1_000 }, (_, id) => `name-${id}.unverified.cns`)
  const expiresAt = stage.clock.wall() + 1_000 * hourMs
  await register(stage, Object.fromEntries(names.map((name) => [name, expiresAt])))
  for (const name of names) stage.localnet.world.put({ name, user: '', expiresAt: 0 })
  expect(await until(stage, ({ level }) => level === 'off')).toMatchObject({
    degradedBecause: 'Two spot checks within an hour contradicted the mirror.',
    withdrawn: 2,
  })
  expect((await stage.get(path('name-1.unverified.cns'))).status).toBe(404)
  const checks = (await stage.metrics()).value('scan_proxy_mirror_spot_checks_total', {
    outcome: 'different',
  })
  expect(checks).toBe(2)
})

test('a snapshot that lacks several unexpired names is not taken, and everything is read live', async () => {
  await using stage = await startMirrored({ config: { 'mirror.spotCheckInterval': '24h' } })
  const names = ['one', 'two', 'three'].map((each) => `${each}.unverified.cns`)
  const expiresAt = stage.clock.wall() + 1_000 * hourMs
  await register(stage, Object.fromEntries(names.map((name) => [name, expiresAt])))
  for (const name of names) stage.localnet.world.put({ name, user: '', expiresAt: 0 })
  skipHours(stage, 3 + 2 / 60)
  const { degradedBecause } = await until(stage, ({ level }) => level === 'off')
  expect(degradedBecause).toBe('The new snapshot lacks 3 names that have not expired, so it was not taken.')
  expect((await stage.get(path('one.unverified.cns'))).status).toBe(404)
  const value = (await stage.metrics()).value('scan_proxy_mirror_drains_total', { outcome: 'withdrawn' })
  expect(value).toBe(1)
})

test('on a localnet, moving the time by three hours makes the mirror take the next snapshot', async () => {
  await using running = await startEmbedded(config)
  const begun = Date.now()
  await moveBetweenSnapshots(running.daemon.localnet?.control)
  const taken = async () => (await running.report('/status')).mirror.asOf
  await eventually(async () => Date.parse(await taken()) > begun)
  expect((await running.report('/status')).mirror).toMatchObject({ level: 'bindings' })
})
