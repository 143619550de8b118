import { describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf, remote as remoteConfig, written } from '../config/config.ts'
import { advanceBy, settled, startEmbedded, startRemote, startStage } from '../support/daemon.ts'
import { asTimePasses, eventually } from '../support/eventually.ts'
import { Scans } from '../support/scans.ts'
import { startConfigured } from './configured-daemon.ts'
import { byName } from './questions.ts'

type Values = Readonly<Record<string, unknown>>

const alice = byName('alice.unverified.cns')

describe('SIGHUP:', () => {
  test('a raised threshold holds for the next request, and no answer that fewer agreed on is served', async () => {
    const { ask, reload } = await startConfigured({})
    expect((await ask()).headers['x-bft-quorum']).toContain('threshold=3')
    expect((await ask()).headers['cache-status']).toContain('hit')
    const { changed } = await reload({ 'scanClient.threshold': '2f+1' })
    expect(changed).toEqual(['scanClient.threshold is 2f+1, was f+1'])
    const { status, headers } = await ask()
    expect(status).toBe(200)
    expect(headers['cache-status']).toContain('fwd=miss')
    expect(headers['x-bft-quorum']).toContain('agreed=5, threshold=5')
  })

  test('with a wrong file everything stays as it is, and the log has all problems', async () => {
    const { ask, failToReload } = await startConfigured({ 'scanClient.threshold': '2f+1' })
    await ask()
    const { problems } = await failToReload('scanClient:\n  threshold: most\nhttp:\n  prot: 1\n')
    expect(problems).toEqual([
      expect.stringContaining('http.prot: unknown key'),
      expect.stringContaining('scanClient.threshold must be'),
    ])
    const { headers } = await ask()
    expect(headers['cache-status']).toContain('hit')
    expect(headers['x-bft-quorum']).toContain('threshold=5')
    await failToReload('scanClient: [')
    expect((await ask()).status).toBe(200)
  })

  test('a warning of the start is not repeated, and a new one is logged', async () => {
    const { reload, daemon } = await startConfigured({}, { OPERATIONS_HOST: '0.0.0.0' })
    await reload({ 'scanClient.threshold': 1 })
    const warned = (words: string) => daemon.lines.filter(({ msg }) => String(msg).includes(words)).length
    expect(warned('operations.host is 0.0.0.0: whoever reaches that address sees what was asked')).toBe(1)
    expect(warned('scanClient.threshold is 1, below f+1')).toBe(1)
  })

  test('a token is checked with the new key, and no key is in the log', async () => {
    const [former, latter] = ['the-former-secret-of-the-test', 'the-latter-secret-of-the-test']
    const auth = { 'auth.scanProxy': 'bearer' }
    const { ask, reload, daemon } = await startConfigured({ ...auth, 'auth.unsafeSecret': former })
    const bearer = async (secret: string) => ({
      authorization: `Bearer ${await mintToken('alice', configOf(written({ 'auth.unsafeSecret': secret })))}`,
    })
    expect((await ask(alice, await bearer(former))).status).toBe(200)
    const { changed } = await reload({ ...auth, 'auth.unsafeSecret': latter })
    expect(changed).toEqual(['auth.unsafeSecret has another value'])
    expect((await ask(alice, await bearer(former))).status).toBe(401)
    expect((await ask(alice, await bearer(latter))).status).toBe(200)
    expect(await daemon.said('a token was refused')).toMatchObject({ requestId: expect.any(String) })
    expect(JSON.stringify(daemon.lines)).not.toMatch(/-secret-of-the-test/)
  })
})

test('A threshold that comes back brings back no answer that is older than one that was served since', async () => {
  const ports = { 'http.port': 0, 'operations.port': 0, 'localnet.controlPort': 0 }
  const local = { network: 'localnet', 'ledger.driver': 'none', 'localnet.superValidators': 4, ...ports }
  await using stage = await startStage({})
  const { localnet, clock, daemon } = stage
  const name = 'renewed.unverified.cns'
  const expiry = async () => JSON.parse((await stage.get(byName(name))).text).entry.expires_at
  const reload = async (threshold: string) => {
    await daemon.reload(configOf(written({ ...local, 'scanClient.threshold': threshold })))
    await settled(stage)
  }
  const register = (ms: number) =>
    localnet.world.put({ name, user: 'alice::1220ab', expiresAt: clock.wall() + ms })
  register(3_600_000)
  const before = await expiry()
  register(7_200_000)
  await reload('2f+1')
  const renewed = await expiry()
  expect(renewed > before).toBe(true)
  await reload('f+1')
  expect(await expiry()).toBe(renewed)
})

test('Tokens for the ledger have to be for the new audience', async () => {
  await using daemon = await startEmbedded({ 'auth.audience': 'former', 'auth.unsafeSecret': 'unsafe' })
  const auth = (audience: string) => written({ 'auth.audience': audience, 'auth.unsafeSecret': 'unsafe' })
  const ledgerEnd = async (audience: string) => {
    const token = await mintToken('ledger-api-user', configOf(auth(audience)))
    const headers = { authorization: `Bearer ${token}` }
    return (await daemon.get('/v2/state/ledger-end', { headers })).status
  }
  expect([await ledgerEnd('former'), await ledgerEnd('latter')]).toEqual([200, 401])
  await daemon.daemon.reload(configOf(auth('latter')))
  expect([await ledgerEnd('former'), await ledgerEnd('latter')]).toEqual([401, 200])
})

test('A request in progress is answered as it began, and the next one under the new threshold', async () => {
  await using stage = await startStage({ superValidators: 7 })
  await stage.fault(stage.names, { kind: 'delay', ms: 1_000 })
  const began = stage.get(alice)
  const inFlight = async () => (await stage.metrics()).value('scan_proxy_in_flight_asks')
  await eventually(async () => (await inFlight()) > 0)
  const seven = { network: 'localnet', 'ledger.driver': 'none', 'localnet.superValidators': 7 }
  await stage.daemon.reload(configOf(written({ ...seven, 'scanClient.threshold': '2f+1' })))
  const next = stage.get(alice)
  const answered = asTimePasses(stage.clock, Promise.all([began, next]))
  const [former, latter] = (await answered).map(({ status, headers }) => [status, headers['x-bft-quorum']])
  expect(former).toEqual([200, expect.stringContaining('threshold=3')])
  expect(latter).toEqual([200, expect.stringContaining('threshold=5')])
})

describe('New seeds and thresholds:', () => {
  const brisk = { 'scanClient.refreshInterval': '10m', 'scanClient.probeInterval': '1h' }
  const configFor = (seedUrls: readonly string[], scanClient: Values = {}) =>
    configOf(
      written(
        { ...brisk, 'scanClient.allowHttp': true, 'scanClient.allowPrivate': true },
        { ...remoteConfig, scanClient: { seedUrls, minimumVoters: 1, ...scanClient } },
      ),
    )
  const namesIn = ({ roster }: { roster: { superValidators: { names: string[] }[] } }) =>
    roster.superValidators.flatMap(({ names }) => names)

  test('the former roster answers until the new seeds have agreed on theirs', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using others = await Scans.listen('w', 'x', 'y', 'z')
    others.say({ description: 'of the others' })
    for (const scan of others.nodes) await scan.stop()
    await using daemon = await startRemote(scans.urls, brisk)
    await daemon.get(byName('somebody'))
    await daemon.daemon.reload(configFor(others.urls))
    await eventually(async () =>
      (await daemon.report('/status')).seeds.every(
        ({ outcome }: { outcome: string }) => outcome === 'connect',
      ),
    )
    expect(namesIn(await daemon.report('/status'))).toEqual(['a', 'b', 'c', 'd'])
    expect((await daemon.get(byName('somebody'))).headers['cache-status']).toContain('hit')

    for (const scan of others.nodes) await scan.start()
    while (!namesIn(await daemon.report('/status')).includes('w')) await advanceBy(daemon, 1)
    const answer = await daemon.get(byName('somebody'))
    expect(answer.headers['cache-status']).toContain('fwd=miss')
    expect(answer.text).toContain('of the others')
  })

  test('a raised threshold has the super validators confirm the roster under it', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startRemote(scans.urls, brisk)
    await settled(daemon)
    const asked = scans.nodes.map((scan) => scan.count('/v0/scans'))
    for (const scan of scans.nodes.slice(0, 2)) scan.say({ refuses: { status: 503, error: 'away' } })
    await daemon.daemon.reload(configFor(scans.urls, { threshold: '2f+1' }))
    expect((await daemon.get(byName('somebody'))).status).toBe(502)
    const refreshed = () => daemon.lines().find(({ msg }) => msg === 'the roster was not refreshed')
    await eventually(() => refreshed() !== undefined)
    expect(scans.nodes.map((scan) => scan.count('/v0/scans'))).toEqual(asked.map((count) => count + 1))
    expect(namesIn(await daemon.report('/status'))).toEqual(['a', 'b', 'c', 'd'])

    for (const scan of scans.nodes.slice(0, 2)) scan.say({ refuses: undefined })
    const again = () => daemon.lines().find(({ msg }) => msg === 'the roster is as it was')
    while (again() === undefined) await advanceBy(daemon, 1)
    expect(again()).toMatchObject({ level: 'warn' })
  })

  test('a threshold below f+1 or above n of the roster is logged, at the start and after a reload, once', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startRemote(scans.urls, { ...brisk, 'scanClient.threshold': 1 })
    const said = () =>
      daemon
        .lines()
        .filter(({ msg }) => /^a threshold is /.test(`${msg}`))
        .map(({ level, option, threshold, least, voters, msg }) => {
          return { level, option, threshold, least, voters, msg }
        })
    const unsafe = {
      level: 'warn',
      option: 'scanClient.threshold',
      threshold: 1,
      least: 2,
      voters: 4,
      msg: 'a threshold is below f+1: super validators that lie together can make an answer',
    }
    expect(said()).toEqual([unsafe])
    await daemon.daemon.reload(configFor(scans.urls, { threshold: 1, minimumVoters: 2 }))
    expect(said()).toEqual([unsafe])
    const thresholds = { getAnsRules: 5 }
    await daemon.daemon.reload(configFor(scans.urls, { threshold: 2, thresholds }))
    const outOfReach = {
      ...unsafe,
      option: 'scanClient.thresholds.getAnsRules',
      threshold: 5,
      msg: 'a threshold is above the number of super validators that vote: no answer can be agreed',
    }
    expect(said()).toEqual([unsafe, outOfReach])
    await daemon.daemon.reload(configFor(scans.urls))
    await daemon.daemon.reload(configFor(scans.urls, { threshold: 1 }))
    expect(said()).toEqual([unsafe, outOfReach, unsafe])
  })

  test('under a new least number of super validators, which SIGHUP refuses, a smaller roster is given up, and taken again under a lower one', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startRemote(scans.urls, brisk)
    await daemon.daemon.reload(configFor(scans.urls, { minimumVoters: 5 }))
    expect((await daemon.get(byName('somebody'))).status).toBe(503)
    expect((await daemon.get('/readyz')).status).toBe(503)
    await daemon.daemon.reload(configFor(scans.urls, { minimumVoters: 4 }))
    await eventually(async () => (await daemon.get('/readyz')).status === 200)
    expect((await daemon.get(byName('somebody'))).status).toBe(200)
  })

  test('a seed that is configured again shows nothing of what it once answered', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const [a] = scans.nodes
    await using daemon = await startRemote(scans.urls, brisk)
    const said = async (outcomes: string) =>
      outcomes ===
      (await daemon.report('/status')).seeds.map(({ outcome }: { outcome: string }) => outcome).join()
    await eventually(() => said('answered,answered,answered,answered'))
    await daemon.daemon.reload(configFor(scans.urls.slice(1)))
    a?.say({ hangs: true })
    await daemon.daemon.reload(configFor(scans.urls))
    await eventually(() => said('not-asked-yet,answered,answered,answered'))
  })

  test('where the seeds are the roster, new seeds are the new one at once', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    const alone = { discover: false }
    await using daemon = await startRemote(scans.urls.slice(0, 2), {
      ...brisk,
      'scanClient.discover': false,
    })
    await daemon.get(byName('somebody'))
    await daemon.daemon.reload(configFor(scans.urls, alone))
    const { status, headers } = await daemon.get(byName('somebody'))
    expect(status).toBe(200)
    expect(headers['cache-status']).toContain('fwd=miss')
    expect(headers['x-bft-quorum']).toContain('voters=4')
  })

  test('the doctor of the page examines the new seeds', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using others = await Scans.listen('w', 'x', 'y', 'z')
    await using daemon = await startRemote(scans.urls, brisk)
    await daemon.daemon.reload(configFor(others.urls))
    const headers = { 'sec-fetch-site': 'same-origin' }
    await daemon.operations('/ui/doctor', { method: 'POST', headers })
    await eventually(async () => (await daemon.operations('/network')).text.includes('Examined '))
    const examined = ({ nodes }: Scans) => nodes.map((scan) => scan.count('/migrations/last'))
    expect(examined(scans)).toEqual([0, 0, 0, 0])
    expect(examined(others)).toEqual([1, 1, 1, 1])
  })

  test('the same options start no new round, and keep the cache', async () => {
    await using scans = await Scans.listen('a', 'b', 'c', 'd')
    await using daemon = await startRemote(scans.urls, brisk)
    await daemon.get(byName('somebody'))
    await settled(daemon)
    const asked = scans.nodes.map((scan) => scan.count('/v0/scans'))
    await daemon.daemon.reload(configFor(scans.urls))
    expect((await daemon.get(byName('somebody'))).headers['cache-status']).toContain('hit')
    expect(scans.nodes.map((scan) => scan.count('/v0/scans'))).toEqual(asked)
  })
})
