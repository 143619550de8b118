import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { resetFloor } from '../../src/cli/guard.ts'
import { byName, nothingKept } from '../daemon/questions.ts'
import { type Running, type Stage, settled, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { newFolder } from '../support/new-folder.ts'
import { sharedRedis } from '../support/redis.ts'

const second = 1_000
const minute = 60 * second
const name = 'renewed.unverified.cns'
const path = byName(name)
const behind = { error: 'No quorum of super validators is as recent as what was asked for.' }

let folder: string
beforeEach(async () => {
  folder = newFolder(onTestFinished)
})

/**
 * Renews the name a minute after its registration, so that a super validator that lags by half a minute still has the
 * old entry.
 */
function registerAndRenew({ localnet, clock }: Stage): void {
  const put = (ms: number) =>
    localnet.world.put({ name, user: 'alice::1220ab', expiresAt: clock.wall() + ms })
  put(60 * minute)
  clock.advance(minute)
  put(120 * minute)
  clock.advance(second)
}

const lag = { kind: 'lag', by: 30 * second } as const

async function expiryOf(daemon: Pick<Running, 'get'>): Promise<number> {
  const { status, text } = await daemon.get(path)
  expect(status, text).toBe(200)
  return Date.parse(JSON.parse(text).entry.expires_at)
}

/**
 * Leaves only two super validators, which both lag. If a third one lagged, n-f of them would give the old entry, and
 * the daemon would withdraw the newer answer.
 */
async function onlyLaggards(stage: Stage): Promise<void> {
  await stage.fault(stage.names.slice(2), lag)
  await stage.fault(stage.names.slice(0, 2), 'reset')
}

function another(stage: Stage, config: Readonly<Record<string, unknown>>, overrides = {}): Promise<Running> {
  const seeds = stage.localnet.superValidators.map(({ url }) => url)
  return startRemote(seeds, { ...nothingKept, ...config }, { clock: stage.clock, ...overrides })
}

const kept = (fresh: string, stale = fresh) => ({
  'cache.times.lookupAnsEntryByName.fresh': fresh,
  'cache.times.lookupAnsEntryByName.stale': stale,
})

const olderAnswers = async (daemon: Pick<Running, 'metrics'>, outcome: string) =>
  (await daemon.metrics()).value('scan_proxy_older_answers_total', { read: 'lookupAnsEntryByName', outcome })

describe('when only super validators that lag can be reached after a newer answer', () => {
  test('the answer is 502, and it is served again when one that is up to date is back', async () => {
    await using stage = await startStage({ config: nothingKept })
    registerAndRenew(stage)
    const expiry = await expiryOf(stage)
    await settled(stage)
    await onlyLaggards(stage)
    const { status, text, headers } = await stage.get(path)
    expect([status, JSON.parse(text)]).toEqual([502, behind])
    expect(headers['x-bft-error']).toBe('behind')
    expect(await olderAnswers(stage, 'behind')).toBe(1)
    const said = stage.lines().find(({ msg }) => String(msg).includes('was not served'))
    expect(said).toMatchObject({ level: 'warn', read: 'lookupAnsEntryByName', outcome: 'behind' })
    expect(JSON.stringify(said)).not.toContain(name)
    await settled(stage)
    await stage.fault(stage.names.slice(0, 2), undefined)
    expect(await expiryOf(stage)).toBe(expiry)
  })

  test('the remembered answer is served within its stale time, and 502 after it', async () => {
    await using stage = await startStage({ config: kept('1s', '20s') })
    registerAndRenew(stage)
    const expiry = await expiryOf(stage)
    await settled(stage)
    await onlyLaggards(stage)
    stage.clock.advance(2 * second)
    expect(await expiryOf(stage)).toBe(expiry)
    await eventually(async () => (await olderAnswers(stage, 'behind')) === 1)
    expect(await expiryOf(stage)).toBe(expiry)
    stage.clock.advance(19 * second)
    expect((await stage.get(path)).status).toBe(502)
  })

  test('the older answer is served where the guard is off', async () => {
    await using stage = await startStage({ config: { ...nothingKept, 'guard.enabled': false } })
    registerAndRenew(stage)
    const expiry = await expiryOf(stage)
    await settled(stage)
    await onlyLaggards(stage)
    expect(await expiryOf(stage)).toBeLessThan(expiry)
  })

  test('an operator can let the name be older again, by the name and by the key in the log', async () => {
    const out: string[] = []
    const print = { out: (line: string) => void out.push(line), err: (line: string) => void out.push(line) }
    await using stage = await startStage({ config: { ...nothingKept, 'operations.admin': true } })
    registerAndRenew(stage)
    const expiry = await expiryOf(stage)
    await settled(stage)
    await onlyLaggards(stage)
    expect((await stage.get(path)).status).toBe(502)
    const operations = stage.daemon.operations
    const line = stage.lines().find(({ keys }) => Array.isArray(keys)) as { keys: string[] }
    const [key = ''] = line.keys
    expect(await resetFloor({ name: undefined, key, operations }, print as never)).toBe(0)
    expect(await expiryOf(stage)).toBeLessThan(expiry)
    expect(await resetFloor({ name, key: undefined, operations }, print as never)).toBe(0)
    expect(await resetFloor({ name: undefined, key, operations }, print as never)).toBe(69)
    expect(out.at(-1)).toContain('There is no such floor.')
    expect(stage.lines().filter(({ msg }) => msg === 'an operator makes an admin call')).toHaveLength(2)
  })
})

describe('a daemon that is started again', () => {
  test('serves nothing older than before if it has a file, and the older answer if it has none', async () => {
    await using stage = await startStage({ config: nothingKept })
    registerAndRenew(stage)
    const file = join(folder, 'floors')
    {
      await using first = await another(stage, { 'guard.file': file })
      await expiryOf(first)
    }
    await settled(stage)
    await onlyLaggards(stage)
    await using second = await another(stage, { 'guard.file': file })
    expect((await second.get(path)).status).toBe(502)
    await using forgetful = await another(stage, {})
    expect((await forgetful.get(path)).status).toBe(200)
  })
})

test('a daemon serves nothing from Redis that is older than what it served before, also after a restart', async () => {
  await using redis = await sharedRedis()
  await using stage = await startStage({ config: nothingKept })
  registerAndRenew(stage)
  const times = { ...kept('10m'), 'cache.redis.url': redis.url }
  const file = { 'guard.file': join(folder, 'floors') }
  const overrides = { redisPrefix: redis.prefix }
  {
    await using first = await another(stage, file)
    await expiryOf(first)
  }
  await settled(stage)
  await onlyLaggards(stage)
  await using other = await another(stage, { ...times, 'guard.enabled': false }, overrides)
  await using second = await another(stage, { ...times, ...file }, overrides)
  for (const daemon of [other, second])
    await eventually(async () => (await daemon.report('/status')).cache.redis === 'up')
  const stored = () => redis.client.keys(`bft:${redis.prefix}:lookupAnsEntryByName:*`)
  await eventually(async () => {
    await other.get(path, { headers: { 'x-bft-live': '?1' } })
    return (await stored()).length === 1
  })
  expect((await second.get(path)).status).toBe(502)
  expect((await other.get(path)).status).toBe(200)
})

test('of two daemons on one Redis, none serves an answer older than the other served', async () => {
  await using redis = await sharedRedis()
  await using stage = await startStage({ config: nothingKept })
  registerAndRenew(stage)
  const config = { 'cache.redis.url': redis.url }
  const overrides = { redisPrefix: redis.prefix }
  await using first = await another(stage, config, overrides)
  await using second = await another(stage, config, overrides)
  for (const daemon of [first, second])
    await eventually(async () => (await daemon.report('/status')).cache.redis === 'up')
  await eventually(async () => {
    await expiryOf(first)
    return (await redis.client.keys(`bft:${redis.prefix}:floor:u*`)).length === 1
  })
  await settled(stage)
  await settled(first)
  await settled(second)
  await onlyLaggards(stage)
  await eventually(async () => (await second.get(path)).status === 502)
  expect(await olderAnswers(second, 'behind')).toBeGreaterThan(0)
})
