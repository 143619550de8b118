import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import type { Micros } from '../../src/localnet/world/contract.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { register } from '../ledger/submissions.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { ask } from './ask.ts'
import { drain, mirroredTemplates, snapshotAt } from './drain.ts'

const hour = 3_600_000
const settled = 90_000
const count = 45

interface Started extends AsyncDisposable {
  readonly localnet: Localnet
  readonly clock: ManualClock
  readonly urls: readonly string[]
}

async function withoutLedger(): Promise<Started> {
  const clock = new ManualClock()
  const localnet = await startLocalnet({ superValidators: 4, releases: ['0.8'] }, { clock })
  return {
    localnet,
    clock,
    urls: urlsOf(localnet),
    [Symbol.asyncDispose]: () => localnet[Symbol.asyncDispose](),
  }
}

async function withLedger(): Promise<Started & { readonly ledger: EmbeddedLedger }> {
  const clock = new ManualClock()
  const ledger = new EmbeddedLedger({}, { clock })
  const dso = await bootstrap(ledger, { acronym: 'cns', now: clock.wall() * 1_000 })
  const user = await ledger.partyOf('alice', 'alice')
  const expiresAt = (clock.wall() + 48 * hour) * 1_000
  for (let number = 0; number < count; number++)
    await register(ledger, { dso, user }, `n${number}.unverified.cns`, { expiresAt })
  const localnet = await startLocalnet({ superValidators: 4, releases: ['0.8'] }, { clock, ledger })
  const close = async () => {
    await localnet[Symbol.asyncDispose]()
    await ledger[Symbol.asyncDispose]()
  }
  return { localnet, clock, ledger, urls: urlsOf(localnet), [Symbol.asyncDispose]: close }
}

const urlsOf = ({ superValidators }: Localnet) => superValidators.map(({ url }) => url)
const instant = (clock: ManualClock): Micros => Math.floor(clock.wall() / (3 * hour)) * 3 * hour * 1_000
const time = (word: 'before' | 'after', at: Micros) =>
  `/api/scan/v0/state/acs/snapshot-timestamp${word === 'after' ? '-after' : ''}?${word}=${timeOf(at)}&migration_id=0`

describe.each([
  ['without a ledger', withoutLedger],
  ['of a ledger', withLedger],
])('the snapshots of a localnet %s', (_title, start) => {
  let started: Started
  beforeAll(async () => {
    started = await start()
    started.clock.advance(3 * hour + settled)
  })
  afterAll(() => started[Symbol.asyncDispose]())

  test('are there 20 to 90 seconds after their time, on each node later than on others or sooner', async () => {
    const { clock, urls } = started
    const next = instant(clock) + 3 * hour * 1_000
    const has = async () =>
      (await Promise.all(urls.map((url) => snapshotAt(url, next)))).map(({ status }) => status)
    clock.advance(next / 1_000 - clock.wall() + 19_999)
    expect(await has()).toEqual([404, 404, 404, 404])
    const since: (number | undefined)[] = urls.map(() => undefined)
    for (let seconds = 20; seconds <= 90; seconds++) {
      clock.advance(1_000)
      for (const [index, status] of (await has()).entries()) if (status === 200) since[index] ??= seconds
    }
    expect(since).not.toContain(undefined)
    expect(new Set(since).size).toBe(4)
  })

  test('are the same for all nodes, whatever the size of the page, and each contract comes once', async () => {
    const { clock, urls } = started
    const at = instant(clock)
    const [first, ...others] = await Promise.all(
      urls.map((url, index) => drain(url, at, { size: [7, 10, 1000, 1][index] ?? 1 })),
    )
    expect(first?.ids.length).toBeGreaterThanOrEqual(count)
    expect(new Set(first?.ids).size).toBe(first?.ids.length)
    for (const other of others) expect(other.contracts).toEqual(first?.contracts)
  })

  test('have numbers for tokens in v1, which another node does not know, or takes for other rows', async () => {
    const { clock, urls } = started
    const at = instant(clock)
    const [one, other] = await Promise.all(urls.map((url) => drain(url, at, { version: 'v1' })))
    const shared = new Set(one?.tokens).intersection(new Set(other?.tokens))
    expect(shared.size).toBe(0)
    const more = { version: 'v1', templates: mirroredTemplates, after: one?.tokens[0] } as const
    const [own, foreign] = await Promise.all(urls.map((url) => snapshotAt(url, at, more)))
    expect(own?.status).toBe(200)
    expect(foreign?.json.created_events).not.toEqual(own?.json.created_events)
  })
})

test('a ledger that is founded between two instants has no snapshot until the next one', async () => {
  await using started = await withLedger()
  const { clock, urls } = started
  const [url = ''] = urls
  const none = () => ask(url, time('before', clock.wall() * 1_000))
  clock.advance(3 * hour - 1)
  expect((await none()).status).toBe(404)
  clock.advance(settled)
  expect((await none()).status).toBe(200)
})

test('a snapshot stays the same when names change, and the next one has the changes', async () => {
  await using started = await withoutLedger()
  const { clock, localnet, urls } = started
  const [url = ''] = urls
  const name = 'bob.unverified.cns'
  clock.advance(3 * hour + settled)
  const first = instant(clock)
  const entryAt = async (at: Micros) =>
    (await drain(url, at, { size: 1_000 })).contracts.filter((each) => each.create_arguments.name === name)
  const [before] = await entryAt(first)
  const expiresAt = clock.wall() + 400 * 24 * hour
  const renewed = localnet.world?.put({ name, user: 'bob::1220ab', expiresAt })
  for (let step = 0; step < 6; step++) {
    clock.advance(3 * hour)
    await entryAt(instant(clock))
  }
  expect(await entryAt(first)).toEqual([before])
  expect(await entryAt(first + 3 * hour * 1_000)).toMatchObject([
    { contract_id: renewed?.contract_id, create_arguments: { user: renewed?.user } },
  ])
})
