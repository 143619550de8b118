import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf, written } from '../config/config.ts'
import { type AskOptions, ask, askJson, type Heard } from '../localnet/ask.ts'
import { eventually } from '../support/eventually.ts'
import { DaemonProcess } from '../support/process.ts'
import { type RedisServer, startRedisServer } from '../support/redis.ts'
import { parseExposition, sampleValue } from '../telemetry/exposition-text.ts'
import { byName, byParty } from './questions.ts'

const list = (prefix: string) => `/v0/ans-entries?page_size=10&name_prefix=${prefix}`

interface Member {
  readonly http: string
  readonly operations: string
}

const opened = new AsyncDisposableStack()
let redis: RedisServer
let control: string
/**
 * The daemons, in the order in which `balanced` chooses them. The first daemon has the ledger and the localnet. All
 * daemons ask the scans of this localnet.
 */
let fleet: readonly Member[]
let turn = 0

beforeAll(async () => {
  redis = opened.use(await startRedisServer())
  const first = opened.use(
    await DaemonProcess.start({
      LEDGER_DRIVER: 'embedded',
      REDIS_URL: redis.url,
      LOCALNET_SUPER_VALIDATORS: '7',
      NODE_CONFIG: JSON.stringify({ scanClient: { probeInterval: '1h' } }),
    }),
  )
  const { control: at, ...addresses } = await first.listening()
  control = at
  const { superValidators } = (await first.said('listening')) as { superValidators: Record<string, string> }
  const scanClient = { allowHttp: true, allowPrivate: true, probeInterval: '1h' }
  const env = {
    NETWORK: 'remote',
    REDIS_URL: redis.url,
    SCAN_SEED_URLS: Object.values(superValidators).join(),
    // A test moves only the clocks of the first daemon and its ledger. For the other daemons, a name then vanishes
    // before its expiry. Their rollback guards would not serve the absence of the name.
    NODE_CONFIG: JSON.stringify({ scanClient, guard: { enabled: false } }),
  }
  const others = await Promise.all([1, 2].map(async () => opened.use(await DaemonProcess.start(env))))
  fleet = [addresses, ...(await Promise.all(others.map((daemon) => daemon.listening())))]
  await Promise.all(
    [first, ...others].map((daemon) => daemon.said('changes of names by other daemons are heard')),
  )
  await eventually(async () => (await Promise.all(fleet.map(isReady))).every(Boolean))
})
afterAll(() => opened.disposeAsync())

async function isReady(member: Member): Promise<boolean> {
  const { cache } = await askJson(member.operations, '/status')
  const readiness = await ask(member.operations, '/readyz')
  return cache.redis === 'up' && readiness.status === 200 && (await valueAt(member, 'in_flight_asks')) === 0
}

function balanced(path: string, options?: AskOptions): Promise<Heard> {
  const { http } = fleet[turn++ % fleet.length] as Member
  return ask(http, path, options)
}

const fromEach = (path: string) => Promise.all(fleet.map(({ http }) => ask(http, path)))

async function inquiries(): Promise<number> {
  const counts = await Promise.all(
    fleet.map(async ({ operations }) => {
      const families = parseExposition((await ask(operations, '/metrics')).text)
      const samples = families.get('scan_proxy_reads_total')?.samples ?? []
      return samples.reduce((sum, { value }) => sum + value, 0)
    }),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

async function asks(): Promise<number> {
  const nodes: { asks: number }[] = await askJson(control, '/super-validators')
  return nodes.reduce((sum, { asks }) => sum + asks, 0)
}

async function valueAt(
  { operations }: Member,
  name: string,
  labels?: Record<string, string>,
): Promise<number> {
  const families = parseExposition((await ask(operations, '/metrics')).text)
  return sampleValue(families, `scan_proxy_${name}`, labels) ?? 0
}

const invalidationsHeardBy = (member: Member) => valueAt(member, 'invalidations_total', { from: 'elsewhere' })

async function onTheLedger(act: () => Promise<void>): Promise<void> {
  const others = fleet.slice(1)
  const before = await Promise.all(others.map(invalidationsHeardBy))
  await act()
  for (const [index, daemon] of others.entries()) {
    await eventually(async () => (await invalidationsHeardBy(daemon)) > (before[index] ?? 0))
  }
}

async function register(name: string): Promise<void> {
  const token = await mintToken('alice', configOf(written({})))
  const call = async (path: string, body = {}) => {
    const headers = { authorization: `bearer ${token}` }
    const [{ http }] = fleet as [Member]
    const heard = await ask(http, path, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(heard.status).toBe(200)
    return heard
  }
  const asked = await call('/v0/entry/create', { name, url: '', description: '' })
  await call('/v0/wallet/tap', { amount: '10.0' })
  const { subscriptionRequestCid } = JSON.parse(asked.text)
  await call(`/v0/wallet/subscription-requests/${subscriptionRequestCid}/accept`)
}

const statuses = (heard: readonly Heard[]) => heard.map(({ status }) => status)

describe('Three daemons with one Redis behind a load balancer', () => {
  const name = 'alice.unverified.cns'

  test('put a question to the quorum once between them', async () => {
    const before = { reads: await inquiries(), asks: await asks() }
    const heard: Heard[] = []
    for (let round = 0; round < 9; round++) heard.push(await balanced(byName('sv-1.sv.cns')))
    expect(new Set(statuses(heard))).toEqual(new Set([200]))
    expect(new Set(heard.map(({ text }) => text)).size).toBe(1)
    expect(new Set(heard.map(({ headers }) => headers['etag'])).size).toBe(1)
    expect(new Set(heard.map(({ headers }) => headers['x-bft-agreed'])).size).toBe(1)
    const hits = heard.filter(({ headers }) => headers['cache-status']?.includes('; hit; '))
    expect(hits).toHaveLength(8)
    expect((await inquiries()) - before.reads).toBe(1)
    // One load asks 3 of the 7 scans (f+1), and up to a spare, two hedges and an audit: at most seven. Three loads
    // would make at least nine asks.
    expect((await asks()) - before.asks).toSatisfy((asked: number) => asked >= 3 && asked <= 7)
  })

  test('know a name at once that was registered on one of them, though all had agreed that nobody has it', async () => {
    expect(statuses(await fromEach(byName(name)))).toEqual([404, 404, 404])
    await onTheLedger(() => register(name))
    expect(statuses(await fromEach(byName(name)))).toEqual([200, 200, 200])
  })

  test('forget it at once when it expires on that ledger', async () => {
    const [known] = await fromEach(byName(name))
    const { user } = JSON.parse(known?.text ?? '').entry
    const questions = [byName(name), byParty(user), list(name)]
    for (const question of questions) {
      await fromEach(question)
      for (const { headers } of await fromEach(question)) expect(headers['cache-status']).toContain('; hit; ')
    }
    await onTheLedger(async () => {
      const moved = await ask(control, '/time/advance', { method: 'POST', body: '{"duration":"200d"}' })
      expect(moved.status).toBe(200)
    })
    for (const { http } of fleet) {
      expect((await ask(http, byName(name))).status).toBe(404)
      expect((await ask(http, byParty(user))).status).toBe(404)
      expect(JSON.parse((await ask(http, list(name))).text).entries).toEqual([])
    }
  })
})
