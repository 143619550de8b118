import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLocalnet, type WorldLocalnet } from '../../src/localnet/localnet.ts'
import { type ReleaseName, releaseNames } from '../../src/localnet/releases.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { ask, askJson } from './ask.ts'

let localnet: WorldLocalnet
/** The nodes by the release that they start with. */
let nodes: Readonly<Record<ReleaseName, string>>

beforeAll(async () => {
  localnet = await startLocalnet({ superValidators: 7, releases: releaseNames })
  const urls = localnet.superValidators.map(({ url }) => url)
  nodes = Object.fromEntries(releaseNames.map((release, at) => [release, urls[at]])) as typeof nodes
})
afterAll(() => localnet[Symbol.asyncDispose]())

const post = (body: object) => ({ method: 'POST', body: JSON.stringify(body) })
const snapshot = () => ({
  migration_id: 0,
  record_time: timeOf(localnet.world.snapshotTimes[0] ?? 0),
  record_time_match: 'exact',
})
const alice = () => localnet.truth.entryByName('alice.unverified.cns')?.user ?? ''
const url = (nth: number) => localnet.superValidators[nth]?.url ?? ''

test('the nodes take turns in the releases of the list, and say so', async () => {
  const shown = await askJson(localnet.control, '/super-validators')
  expect(shown.map(({ release }: { release: string }) => release)).toEqual([
    ...['0.7.5', '0.8', '0.9'],
    ...['0.7.5', '0.8', '0.9'],
    '0.7.5',
  ])
  const versions = await Promise.all(
    releaseNames.map(async (name) => (await askJson(nodes[name], '/api/scan/version')).version),
  )
  expect(versions).toEqual(['0.7.5', '0.8.4', '0.9.0'])
})

test.each([
  ['0.7.5', { v0: 200, v1: 200, v2: 404 }],
  ['0.8', { v0: 200, v1: 200, v2: 200 }],
  ['0.9', { v0: 404, v1: 404, v2: 200 }],
] as const)('a scan of %s has these versions of snapshots and holdings: %j', async (release, statuses) => {
  for (const [version, status] of Object.entries(statuses)) {
    const page = { ...snapshot(), page_size: 5, owner_party_ids: [alice()] }
    for (const path of ['state/acs', 'holdings/state']) {
      const heard = await ask(nodes[release], `/api/scan/${version}/${path}`, post(page))
      expect({ path, version, status: heard.status }).toEqual({ path, version, status })
    }
  }
})

test('the latest record time is a read of 0.9, and an unknown update id before', async () => {
  const path = '/api/scan/v0/events/latest-record-time'
  const latest = localnet.truth.annals().updates.at(-1)?.at ?? 0
  expect(await askJson(nodes['0.9'], path)).toEqual({ record_time: timeOf(latest) })
  const error = { error: 'Transaction with id latest-record-time not found' }
  expect(JSON.parse((await ask(nodes['0.8'], path)).text)).toEqual(error)
})

test('the progress of bulk storage is a read of 0.9', async () => {
  const progress = (time: string) => `/api/scan/v0/history/bulk/progress?record_time=${time}`
  expect(await askJson(nodes['0.9'], progress('2000-01-01T00:00:00Z'))).toEqual({
    beyond_requested_record_time: true,
  })
  expect(await askJson(nodes['0.9'], progress('2100-01-01T00:00:00Z'))).toEqual({
    beyond_requested_record_time: false,
  })
  expect((await ask(nodes['0.8'], progress('2000-01-01T00:00:00Z'))).status).toBe(404)
})

test('an unknown path is told in the words of the release', async () => {
  const path = '/api/scan/v9/nothing'
  expect(await askJson(nodes['0.8'], path)).toEqual({
    error: `The requested resource could not be found: ${nodes['0.8']}${path}`,
  })
  const heard = await ask(nodes['0.9'], path)
  expect(heard).toMatchObject({ status: 404, text: 'The requested resource could not be found.' })
  expect(heard.headers['content-type']).toBe('text/plain; charset=UTF-8')
})

describe('the pages of the second version', () => {
  const pageOf = (node: string, after?: unknown) =>
    ask(node, '/api/scan/v2/state/acs', post({ ...snapshot(), page_size: 10, after }))

  test("a token is the node's own, and of one snapshot: no other is taken", async () => {
    const [first, other] = [nodes['0.8'], nodes['0.9']]
    const { next_page_token: token } = JSON.parse((await pageOf(first)).text)
    const { next_page_token: foreign } = JSON.parse((await pageOf(other)).text)
    expect(foreign).not.toBe(token)
    for (const wrong of [foreign, `${token}=`, token.toLowerCase(), 'MTI=', '', '17', 17, {}]) {
      const { status } = await pageOf(first, wrong)
      expect({ wrong, status }).toEqual({ wrong, status: 400 })
    }
    const later = timeOf(localnet.world.snapshotTimes[1] ?? 0)
    const body = post({ ...snapshot(), record_time: later, page_size: 10, after: token })
    expect((await ask(first, '/api/scan/v2/state/acs', body)).status).toBe(400)
  })
})

test('verdicts have rounds in 0.9, and null for what a node ingested before, which differs between nodes', async () => {
  const roundsOf = async (node: string) => {
    const body = post({ page_size: 100, daml_value_encoding: 'compact_json' })
    const { events } = await askJson(node, '/api/scan/v0/events', body)
    return events.map(({ verdict }: { verdict: { round_number?: number | null } }) => verdict.round_number)
  }
  expect(new Set(await roundsOf(nodes['0.8']))).toEqual(new Set([undefined]))
  const [one, other] = [await roundsOf(url(2)), await roundsOf(url(5))]
  expect(new Set(one)).toEqual(new Set([null, 28_813]))
  expect(new Set(other)).toEqual(new Set([null, 28_813]))
  expect(other).not.toEqual(one)
})

test('a scan is upgraded, and goes back, while the localnet runs', async () => {
  const release = (body: unknown) =>
    ask(localnet.control, '/super-validators/sv-7/release', {
      ...post({}),
      method: 'PUT',
      body: String(body),
    })
  const page = post({ ...snapshot(), page_size: 5 })
  const statuses = () =>
    Promise.all(['v1', 'v2'].map(async (v) => (await ask(url(6), `/api/scan/${v}/state/acs`, page)).status))
  expect(await statuses()).toEqual([200, 404])
  const upgraded = await release('{"release":"0.9"}')
  expect(JSON.parse(upgraded.text)).toMatchObject({ name: 'sv-7', release: '0.9', fault: null })
  expect(await statuses()).toEqual([404, 200])
  await release('{"release":"0.7.5"}')
  expect(await statuses()).toEqual([200, 404])
  for (const wrong of ['{"release":"0.10"}', '{"release":9}', '{}', 'null', '0.9', '']) {
    const { status, text } = await release(wrong)
    const error = 'the body is no release such as {"release":"0.8"}; known: 0.7.5, 0.8, 0.9'
    expect({ wrong, status, ...JSON.parse(text) }).toEqual({ wrong, status: 400, error })
  }
  const unknown = await ask(localnet.control, '/super-validators/sv-9/release', {
    ...post({}),
    method: 'PUT',
  })
  expect(unknown.status).toBe(404)
})

test('the rules of the network name the version of the name-service package that is wished for', async () => {
  await using other = await startLocalnet({ superValidators: 1, amuletNameService: '0.1.24' })
  const { url: node = '' } = other.superValidators[0] ?? {}
  const { amulet_rules_update: rules } = await askJson(node, '/api/scan/v0/amulet-rules', post({}))
  const { initialValue } = rules.contract.payload.configSchedule
  expect(initialValue.packageConfig.amuletNameService).toBe('0.1.24')
})
