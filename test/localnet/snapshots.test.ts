import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bootstrap } from '../../src/localnet/automation/name-service.ts'
import { type Localnet, startLocalnet } from '../../src/localnet/localnet.ts'
import { type Micros, microsIn } from '../../src/localnet/world/contract.ts'
import { timeOf } from '../../src/registry/ledger/daml/time.ts'
import { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { type Stage, startStage } from '../support/daemon.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { type AskOptions, ask, askJson } from './ask.ts'

const minute = 60_000_000
const hour = 60 * minute
/** Every node has a snapshot this many milliseconds after the snapshot's time. */
const settled = 90_000
const unknown = `nobody::1220${'ab'.repeat(32)}`

interface Asked {
  readonly migration: number
  readonly time: Micros
  readonly match: 'exact' | 'at_or_before'
}

function questions(times: readonly Micros[]): fc.Arbitrary<Asked> {
  const near = fc
    .tuple(fc.constantFrom(...times), fc.constantFrom(0, 0, 1, -1, 1_000, -1_000, hour, -hour))
    .map(([time, off]) => time + off)
  const far = fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  return fc.record({
    migration: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.constantFrom(-1, 1, 7, 2 ** 40)),
    time: fc.oneof(
      { weight: 3, arbitrary: near },
      far.map((date) => date.getTime() * 1_000),
    ),
    match: fc.constantFrom('exact', 'at_or_before'),
  })
}

/** Returns the time of the snapshot that a question selects. The network has only migration 0. */
function meant(times: readonly Micros[], { migration, time, match }: Asked): Micros | undefined {
  if (migration !== 0) return undefined
  return match === 'exact' ? times.find((at) => at === time) : times.findLast((at) => at <= time)
}

function refusal({ migration, time, match }: Asked): string {
  const text = timeOf(time)
  return match === 'exact'
    ? `Failed to find ACS snapshot for migration id ${migration} at ${text}`
    : `No snapshots found before ${text.replace(/:00Z$/, 'Z')}`
}

function bodyOf({ migration, time, match }: Asked, more: object) {
  const asked = { migration_id: migration, record_time: timeOf(time), record_time_match: match }
  return { method: 'POST', body: JSON.stringify({ ...asked, ...more }) }
}

const owners = { owner_party_ids: [unknown] }
const reads = [
  ['/api/scan/v2/state/acs', { page_size: 5 }],
  ['/api/scan/v2/holdings/state', { page_size: 5, ...owners }],
  ['/api/scan/v0/holdings/summary', owners],
  ['/api/scan/v1/holdings/summary', owners],
] as const

async function heard(url: string, path: string, options?: AskOptions) {
  const { status, text } = await ask(url, path, options)
  return { status, json: JSON.parse(text) }
}

async function expectAsSplice(url: string, times: readonly Micros[], asked: Asked): Promise<void> {
  const found = meant(times, asked)
  for (const [path, more] of reads) {
    const { status, json } = await heard(url, path, bodyOf(asked, more))
    if (found === undefined)
      expect({ status, json }).toEqual({ status: 404, json: { error: refusal(asked) } })
    else expect(json).toMatchObject({ record_time: timeOf(found), migration_id: 0 })
  }
  const { migration, time } = asked
  const text = timeOf(time)
  const isBefore = meant(times, { ...asked, match: 'at_or_before' })
  const after = migration < 0 ? times[0] : times.find((at) => migration === 0 && at > time)
  for (const [word, at] of [
    ['before', isBefore],
    ['after', after],
  ] as const) {
    const path = `/api/scan/v0/state/acs/snapshot-timestamp${word === 'after' ? '-after' : ''}`
    const { json } = await heard(url, `${path}?${word}=${text}&migration_id=${migration}`)
    const error = `No snapshots found ${word} ${text.replace(/:00Z$/, 'Z')}`
    expect(json).toEqual(at === undefined ? { error } : { record_time: timeOf(at) })
  }
}

describe('snapshots of a world that is made up', () => {
  let stage: Stage
  let url: string
  let times: readonly Micros[]
  beforeAll(async () => {
    stage = await startStage()
    url = stage.localnet.superValidators[0]?.url ?? ''
    stage.clock.advance(settled)
    times = stage.localnet.world.snapshotTimes
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('are found by time and migration as Splice finds them, or refused in its words', async () => {
    await fc.assert(
      fc.asyncProperty(questions(times), (asked) => expectAsSplice(url, times, asked)),
      { numRuns: 150 },
    )
  })

  test('are agreed on by a daemon, found or not', async () => {
    await fc.assert(
      fc.asyncProperty(questions(times), async (asked) => {
        const found = meant(times, asked)
        for (const [path, more] of reads) {
          const { status, text } = await stage.get(path.replace('/v2/', '/v1/'), bodyOf(asked, more))
          expect({ status, text }).toMatchObject({ status: found === undefined ? 404 : 200 })
        }
      }),
      { numRuns: 40 },
    )
  })

  test('hold the coins of those who are asked for, and no summary of a party that has none', async () => {
    const owned = stage.localnet.truth.annals().coins.map((coin) => ({
      coin,
      owner: String(coin.signatories[1]),
    }))
    // biome-ignore lint/suspicious/noExplicitAny: a locked coin is in another member than an unlocked one
    const amountOf = (argument: any) => Number((argument.amulet ?? argument).amount.initialAmount)
    const everybody = [...new Set(owned.map(({ owner }) => owner)), unknown]
    const parties = fc.uniqueArray(fc.constantFrom(...everybody), { minLength: 1 })
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...times), parties, async (time, asked) => {
        const exact = { migration: 0, time, match: 'exact' } as const
        const own = owned.filter(
          ({ coin, owner }) => asked.includes(owner) && microsIn(coin.created_at) < time,
        )
        const holdings = bodyOf(exact, { page_size: 1_000, owner_party_ids: asked })
        const { created_events: events } = await askJson(url, '/api/scan/v2/holdings/state', holdings)
        expect(new Set(events)).toEqual(new Set(own.map(({ coin }) => coin)))
        const summary = bodyOf(exact, { owner_party_ids: asked })
        const { summaries } = await askJson(url, '/api/scan/v1/holdings/summary', summary)
        const totals = own.reduce(
          (sums, { coin, owner }) =>
            sums.set(owner, (sums.get(owner) ?? 0) + amountOf(coin.create_arguments)),
          new Map<string, number>(),
        )
        expect(
          new Map(
            summaries.map((each: Record<string, string>) => [
              each['party_id'],
              Number(each['total_coin_holdings']),
            ]),
          ),
        ).toEqual(totals)
      }),
      { numRuns: 60 },
    )
  })

  test('updates after another migration are all of them, or none', async () => {
    const page = async (migration: number) => {
      const after = { after_migration_id: migration, after_record_time: '2100-01-01T00:00:00Z' }
      const answer = await stage.get('/api/scan/v2/updates', {
        method: 'POST',
        body: JSON.stringify({ after, page_size: 3 }),
      })
      return JSON.parse(answer.text).transactions.map((each: { update_id: string }) => each.update_id)
    }
    const first = stage.localnet.truth
      .annals()
      .updates.slice(0, 3)
      .map(({ body }) => body['update_id'])
    expect(await page(-1)).toEqual(first)
    expect(await page(0)).toEqual([])
    expect(await page(7)).toEqual([])
  })
})

describe('snapshots of a ledger', () => {
  const clock = new ManualClock()
  let ledger: EmbeddedLedger
  let localnet: Localnet
  beforeAll(async () => {
    ledger = new EmbeddedLedger({}, { clock })
    await bootstrap(ledger, { acronym: 'cns', now: clock.wall() * 1_000 })
    localnet = await startLocalnet({ superValidators: 1 }, { clock, ledger })
    clock.advance(12 * 3_600_000 + settled)
  })
  afterAll(async () => {
    await localnet[Symbol.asyncDispose]()
    await ledger[Symbol.asyncDispose]()
  })

  test('hold what the ledger had then: contracts by template, and by any of their stakeholders', async () => {
    const url = localnet.superValidators[0]?.url ?? ''
    const asked: Asked = { migration: 0, time: clock.wall() * 1_000, match: 'at_or_before' }
    const ofLedger = [
      'splice-amulet-name-service:Splice.Ans:AnsRules',
      'splice-amulet:Splice.AmuletRules:AmuletRules',
      'splice-amulet:Splice.Round:OpenMiningRound',
    ]
    const madeUp = [
      'splice-dso-governance:Splice.DsoRules:DsoRules',
      'splice-dso-governance:Splice.DSO.SvState:SvNodeState',
      'splice-dso-governance:Splice.DSO.AmuletPrice:AmuletPriceVote',
      'splice-amulet:Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
      'splice-amulet:Splice.ValidatorLicense:ValidatorLicense',
    ]
    const count = async (more: object) => {
      const { created_events: events } = await askJson(
        url,
        '/api/scan/v2/state/acs',
        bodyOf(asked, { page_size: 100, ...more }),
      )
      return events.length
    }
    const all = await count({})
    expect(await count({ party_ids: [], templates: [] })).toBe(all)
    expect(await count({ templates: [...ofLedger, ...madeUp] })).toBe(all)
    expect(await count({ templates: ofLedger })).toBe(5)
    expect(await count({ templates: ['splice-amulet:Splice.Round:OpenMiningRound'] })).toBe(3)
    expect(await count({ party_ids: [unknown] })).toBe(0)
  })
})
