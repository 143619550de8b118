import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lookupAnsEntryByName } from '../../src/core/reads/ans.ts'
import { Examiner } from '../../src/doctor/examiner.ts'
import type { AskOptions } from '../localnet/ask.ts'
import { advanceBy, type Running, type Stage, startRemote, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { sharedRedis } from '../support/redis.ts'

const byName = (name: string) => `/v0/scan-proxy/ans-entries/by-name/${name}`
const admin = { 'operations.admin': true }

const calls: readonly (readonly [method: string, path: string, body: string])[] = [
  ['DELETE', '/admin/cache/names/dso.cns', ''],
  ['PUT', '/admin/cordon/sv-1', ''],
  ['DELETE', '/admin/cordon/sv-1', ''],
  ['PUT', '/admin/log-level', '{"level":"silent"}'],
]

async function call(to: Pick<Running, 'operations'>, method: string, path: string, options?: AskOptions) {
  const { status, text } = await to.operations(path, { method, ...options })
  return { status, body: JSON.parse(text) }
}

function callLines(stage: Pick<Stage, 'lines'>) {
  return stage.lines().filter(({ msg }) => msg === 'an operator makes an admin call')
}

test.each(calls)('%s %s is refused while operations.admin is not set', async (method, path, body) => {
  await using stage = await startStage()
  const { status, body: said } = await call(stage, method, path, { body })
  expect([status, said]).toEqual([403, { error: 'Admin calls are off: operations.admin is not true.' }])
  expect(stage.lines()).toContainEqual(expect.objectContaining({ msg: 'listening' }))
  expect(callLines(stage)).toEqual([])
  await call(stage, method, path, { body })
  expect(stage.lines().filter(({ msg }) => String(msg).startsWith('an admin call was refused'))).toEqual([
    expect.objectContaining({
      level: 'warn',
      call: `${method} ${path}`,
      from: '127.0.0.1',
      msg: 'an admin call was refused: operations.admin is not true',
    }),
  ])
})

test('a floor of a name cannot be removed before there is a roster, which the answer says', async () => {
  await using daemon = await startRemote(['http://127.0.0.1:9'], admin)
  expect(await call(daemon, 'DELETE', '/admin/floors/names/dso.cns')).toEqual({
    status: 503,
    body: {
      error:
        'The daemon has no roster of super validators yet, so it does not know which floor the name has.',
    },
  })
})

describe('An admin call', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await startStage({ config: admin })
  })

  afterAll(() => stage[Symbol.asyncDispose]())

  test.each(calls)('%s %s is refused where a page of another site sends it', async (method, path, body) => {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const options = { headers, body }
      const { status, body: said } = await call(stage, method, path, options)
      expect([status, said]).toEqual([403, { error: 'This request comes from another site.' }])
    }
    expect(callLines(stage)).toEqual([])
  })

  test('that the address does not know is 404', async () => {
    expect((await call(stage, 'POST', '/admin/restart')).status).toBe(404)
    expect((await call(stage, 'GET', '/admin/cordon/sv-1')).status).toBe(404)
  })

  test('is logged with what it is about, its status and the address of its caller, and a refused one says so', async () => {
    const before = stage.lines().length
    await call(stage, 'DELETE', '/admin/cache/names/dso.cns')
    await call(stage, 'PUT', '/admin/cordon/sv-1')
    await call(stage, 'DELETE', '/admin/cordon/sv-1')
    await call(stage, 'PUT', '/admin/cordon/sv-9')
    await call(stage, 'PUT', '/admin/log-level', { body: '{"level":"silent"}' })
    await call(stage, 'PUT', '/admin/log-level', { body: '{"level":"debug"}' })
    await call(stage, 'PUT', '/admin/log-level', { body: 'loud' })
    const lines = stage
      .lines()
      .slice(before)
      .filter(({ msg }) => String(msg).includes('admin call'))
    const made = { level: 'warn', msg: 'an operator makes an admin call', status: 200, from: '127.0.0.1' }
    const refused = { ...made, msg: 'an admin call was refused' }
    expect(lines).toMatchObject([
      { ...made, call: 'DELETE /admin/cache/names/dso.cns', flushed: 'dso.cns' },
      { ...made, call: 'PUT /admin/cordon/sv-1', superValidator: 'sv-1' },
      { ...made, call: 'DELETE /admin/cordon/sv-1', superValidator: 'sv-1' },
      { ...refused, call: 'PUT /admin/cordon/sv-9', superValidator: 'sv-9', status: 404 },
      { ...made, call: 'PUT /admin/log-level', logLevel: 'silent', former: 'debug' },
      { ...made, call: 'PUT /admin/log-level', logLevel: 'debug', former: 'silent' },
      { ...refused, call: 'PUT /admin/log-level', status: 400 },
    ])
  })

  test('by GET lists the super validators that are set aside and the log level, without a line of the log', async () => {
    await call(stage, 'PUT', '/admin/cordon/sv-2')
    const before = stage.lines().length
    expect(await call(stage, 'GET', '/admin/cordon')).toEqual({ status: 200, body: { cordoned: ['sv-2'] } })
    expect(await call(stage, 'GET', '/admin/log-level')).toEqual({ status: 200, body: { level: 'debug' } })
    expect(stage.lines().slice(before)).toEqual([])
    await call(stage, 'DELETE', '/admin/cordon/sv-2')
  })

  test('that takes back a super validator that is not set aside is 404', async () => {
    const error = 'The super validator "sv-2" is not set aside.'
    expect(await call(stage, 'DELETE', '/admin/cordon/sv-2')).toEqual({ status: 404, body: { error } })
  })
})

test('a flushed name is asked for again by every daemon on the same Redis, and no other name is', async () => {
  await using redis = await sharedRedis()
  const config = { ...admin, 'cache.redis.url': redis.url }
  const overrides = { redisPrefix: redis.prefix }
  await using one = await startStage({ config, overrides })
  const seeds = one.localnet.superValidators.map(({ url }) => url)
  await using two = await startRemote(seeds, config, { ...overrides, clock: one.clock })
  const said = async (daemon: Running, name: string) => (await daemon.get(byName(name))).text
  const names = ['dso.cns', 'alice.unverified.cns'] as const
  const truth = await Promise.all(names.map((name) => said(one, name)))
  await call(one, 'DELETE', `/admin/cache/names/${names[0]}`)
  await call(one, 'DELETE', `/admin/cache/names/${names[1]}`)
  await one.fault(one.names, 'lie')
  const lies = await Promise.all(names.map((name) => said(one, name)))
  expect(lies).not.toEqual(truth)
  for (const [index, name] of names.entries())
    await eventually(async () => (await said(two, name)) === lies[index])
  await one.fault(one.names, undefined)
  expect(await call(one, 'DELETE', '/admin/cache/names/dso.cns')).toEqual({
    status: 200,
    body: { flushed: 'dso.cns' },
  })
  expect(await said(one, names[0])).toBe(truth[0])
  await eventually(async () => (await said(two, names[0])) === truth[0])
  for (const daemon of [one, two]) expect(await said(daemon, names[1])).toBe(lies[1])
})

test('A flush of something that cannot be a name is refused', async () => {
  await using stage = await startStage({ config: admin })
  for (const name of ['%20', 'a%20b', '%0A'])
    expect((await call(stage, 'DELETE', `/admin/cache/names/${name}`)).status).toBe(400)
  expect((await call(stage, 'DELETE', '/admin/cache/names/alice.unverified.cns')).status).toBe(200)
})

describe('A super validator that is set aside', () => {
  const lookedUp = async (stage: Stage, name: string) => {
    const { status, headers } = await stage.get(byName(name))
    return { status, quorum: headers['x-bft-quorum'], error: headers['x-bft-error'] }
  }

  test('gets no reads, audits, probes or questions for the roster, and no threshold changes, until it is taken back', async () => {
    await using stage = await startStage({
      config: {
        ...admin,
        'scanClient.fanout': 'all',
        'scanClient.refreshInterval': '5s',
        'scanClient.probeInterval': '2s',
      },
    })
    expect(await call(stage, 'PUT', '/admin/cordon/sv-2')).toEqual({
      status: 200,
      body: { cordoned: ['sv-2'] },
    })
    const before = stage.localnet.asks('sv-2')
    const others = stage.localnet.asks('sv-1', 'scans')
    for (const name of ['a', 'b', 'c'])
      expect(await lookedUp(stage, name)).toEqual({
        status: 404,
        quorum: 'agreed=2, threshold=2, asked=3, voters=4',
        error: undefined,
      })
    await advanceBy(stage, 12)
    expect(stage.localnet.asks('sv-1', 'scans'), 'the roster was refreshed').toBeGreaterThan(others)
    expect(stage.localnet.asks('sv-2')).toBe(before)
    const { roster, thresholds } = await stage.report('/status')
    expect(roster.superValidators.map(({ cordoned }: { cordoned?: true }) => cordoned)).toEqual([
      undefined,
      true,
      undefined,
      undefined,
    ])
    expect(thresholds.general.superValidators).toEqual({ n: 4, f: 1, threshold: 2 })
    expect((await stage.metrics()).value('scan_proxy_quorum_margin', { count: 'super_validators' })).toBe(1)
    expect(await call(stage, 'DELETE', '/admin/cordon/sv-2')).toEqual({ status: 200, body: { cordoned: [] } })
    await lookedUp(stage, 'd')
    expect(stage.localnet.asks('sv-2', 'by-name')).toBe(1)
  })

  test('makes a read fail that needs it, is not blamed for that, and leaves no evidence', async () => {
    await using stage = await startStage({ config: admin })
    for (const name of ['sv-1', 'sv-2', 'sv-3']) await call(stage, 'PUT', `/admin/cordon/${name}`)
    expect(await lookedUp(stage, 'dso.cns')).toEqual({
      status: 502,
      quorum: 'agreed=0, threshold=2, asked=0, voters=4, set-aside=3',
      error: 'notEnoughScans',
    })
    const { text } = await stage.get(byName('dso.cns'))
    expect(JSON.parse(text).error).toMatch(/^Only 1 scan instances can be used \(out of 4 configured ones\)/)
    expect((await stage.report('/evidence')).cases).toEqual([])
    expect((await stage.metrics()).families.get('scan_proxy_votes_total')?.samples ?? []).not.toContainEqual(
      expect.objectContaining({ labels: expect.objectContaining({ vote: 'fault' }) }),
    )
    expect((await stage.operations('/readyz?quorum')).status).toBe(503)
    await call(stage, 'DELETE', '/admin/cordon/sv-3')
    expect((await lookedUp(stage, 'dso.cns')).status).toBe(200)
    expect((await stage.operations('/readyz?quorum')).status).toBe(200)
  })

  test.each([1, 2, 3])('leaves as many that can be used as the error says: %i of 7', async (left) => {
    await using stage = await startStage({
      superValidators: 7,
      config: { ...admin, 'scanClient.threshold': '2f+1' },
    })
    expect((await lookedUp(stage, 'dso.cns')).status).toBe(200)
    for (const name of stage.names.slice(left)) await call(stage, 'PUT', `/admin/cordon/${name}`)
    const { text, headers } = await stage.get(byName('a'))
    expect(JSON.parse(text).error).toBe(
      `Only ${left} scan instances can be used (out of 7 configured ones), which are fewer than the necessary 5 to achieve BFT guarantees.`,
    )
    expect(headers['x-bft-quorum']).toBe(`agreed=0, threshold=5, asked=0, voters=7, set-aside=${7 - left}`)
  })

  test('is named in the evidence of a disagreement, as set aside and not as silent', async () => {
    await using stage = await startStage({ config: { ...admin, 'scanClient.fanout': 'all' } })
    await call(stage, 'PUT', '/admin/cordon/sv-4')
    await stage.fault(['sv-1'], 'lie')
    await stage.get(byName('dso.cns'))
    await eventually(async () => (await stage.report('/evidence')).cases.length > 0)
    const [found] = (await stage.report('/evidence')).cases
    expect(found).toMatchObject({ setAside: ['sv-4'], silent: [], dissent: { 'sv-1': 'pending' } })
  })

  test('is not asked again about a contradiction, which stays unchecked', async () => {
    await using stage = await startStage({ config: { ...admin, 'scanClient.fanout': 'all' } })
    await stage.fault(['sv-1'], 'lie')
    await stage.get(byName('dso.cns'))
    const dissent = async () => (await stage.report('/evidence')).cases[0]?.dissent
    await eventually(async () => (await dissent())?.['sv-1'] === 'pending')
    await call(stage, 'PUT', '/admin/cordon/sv-1')
    const asks = stage.localnet.asks('sv-1')
    await advanceBy(stage, 11)
    expect(await dissent()).toEqual({ 'sv-1': 'unchecked' })
    expect(stage.localnet.asks('sv-1')).toBe(asks)
  })

  test('is shown as not asked, with the reason, where all are looked at', async () => {
    await using stage = await startStage({ config: admin })
    await call(stage, 'PUT', '/admin/cordon/sv-1')
    const question = { read: lookupAnsEntryByName, params: { name: 'dso.cns' } }
    const { outcome, stands } = await new Examiner(stage.daemon.scan.inquiring).examine(question, {
      everyone: true,
    })
    expect([outcome, stands.map(({ stance }) => stance)]).toEqual([
      'agreed',
      ['unasked', 'agreed', 'agreed', 'agreed'],
    ])
    expect(stands[0]?.why).toBe('an operator of this daemon set it aside')
  })

  test('has to be in the roster', async () => {
    await using stage = await startStage({ config: admin })
    const error = 'No super validator of the roster is called "sv-9"; known: sv-1, sv-2, sv-3, sv-4.'
    expect(await call(stage, 'PUT', '/admin/cordon/sv-9')).toEqual({ status: 404, body: { error } })
  })
})

test('the log level changes while the daemon runs, also for existing loggers', async () => {
  await using stage = await startStage({ config: admin })
  const debugLines = async () => {
    const before = stage.lines().length
    await stage.get(byName('dso.cns'))
    return stage
      .lines()
      .slice(before)
      .filter(({ level }) => level === 'debug').length
  }
  expect(await debugLines()).toBeGreaterThan(0)
  const set = (body: string) => call(stage, 'PUT', '/admin/log-level', { body })
  expect(await set('{"level":"warn"}')).toEqual({ status: 200, body: { level: 'warn' } })
  expect(await debugLines()).toBe(0)
  const error = 'The body is no {"level": <one of trace, debug, info, warn, error, fatal, silent>}.'
  expect(await set('{"level":"loud"}')).toEqual({ status: 400, body: { error } })
  expect((await set('loud')).status).toBe(400)
  expect((await set(`"${'x'.repeat(5_000)}"`)).status).toBe(413)
  expect(await set('{"level":"debug"}')).toEqual({ status: 200, body: { level: 'debug' } })
  expect(await debugLines()).toBeGreaterThan(0)
})
