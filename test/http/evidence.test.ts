import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'

const byName = (name: string) => `/v0/scan-proxy/ans-entries/by-name/${name}`
const dso = '/v0/scan-proxy/dso-party-id'

interface Shown {
  readonly at: string
  readonly read: string
  readonly outcome: string
  readonly statements: readonly { readonly digest: string }[]
  readonly question?: unknown
}

/** With this option, every read asks every super validator, and thus hears every lie. */
const everybody = { 'scanClient.fanout': 'all' }

async function cases(stage: Stage, query = ''): Promise<readonly Shown[]> {
  return JSON.parse((await stage.operations(`/evidence${query}`)).text).cases
}

async function readAgainst(stage: Stage, path: string, liars: readonly string[]): Promise<void> {
  const before = (await cases(stage)).length
  await stage.fault(liars, 'lie')
  await stage.get(path)
  await eventually(async () => (await cases(stage)).length > before)
  await stage.fault(liars, undefined)
}

describe('The query of /evidence', () => {
  let stage: Stage
  let middle: string

  beforeAll(async () => {
    stage = await startStage({ config: { ...everybody, 'scanClient.threshold': '2f+1' } })
    await readAgainst(stage, byName('dso.cns'), ['sv-1'])
    stage.clock.advance(2_000)
    middle = new Date(stage.clock.wall()).toISOString()
    await readAgainst(stage, dso, ['sv-2'])
    stage.clock.advance(2_000)
    await readAgainst(stage, byName('alice.unverified.cns'), ['sv-2', 'sv-3'])
  })

  afterAll(() => stage[Symbol.asyncDispose]())

  test('without a part gives all disagreements, newest first', async () => {
    expect((await cases(stage)).map(({ read }) => read)).toEqual([
      'lookupAnsEntryByName',
      'getDsoPartyId',
      'lookupAnsEntryByName',
    ])
  })

  test('sv gives those that it contradicted, and those without agreement in which it took part', async () => {
    const outcomes = async (sv: string) => (await cases(stage, `?sv=${sv}`)).map(({ outcome }) => outcome)
    expect(await outcomes('sv-1')).toEqual(['disputed', 'agreed'])
    expect(await outcomes('sv-2')).toEqual(['disputed', 'agreed'])
    expect(await outcomes('sv-4')).toEqual(['disputed'])
  })

  test('read gives those of one read, and only the bodies that belong to them', async () => {
    const { cases, bodies } = JSON.parse((await stage.operations('/evidence?read=getDsoPartyId')).text)
    expect(cases.map(({ read }: Shown) => read)).toEqual(['getDsoPartyId'])
    const digests = cases.flatMap(({ statements }: Shown) => statements.map(({ digest }) => digest))
    expect(Object.keys(bodies).sort()).toEqual(digests.sort())
    expect(await stage.operations('/evidence?read=roster')).toMatchObject({ status: 200 })
  })

  test('since takes a date, which begins at midnight UTC, and a duration of several parts', async () => {
    const day = (offset: number) =>
      new Date(stage.clock.wall() + offset * 86_400_000).toISOString().slice(0, 10)
    expect(await cases(stage, `?since=${day(0)}`)).toHaveLength(3)
    expect(await cases(stage, `?since=${day(1)}`)).toHaveLength(0)
    expect(await cases(stage, '?since=1h30m')).toHaveLength(3)
    expect(await cases(stage, '?since=0m1s')).toHaveLength(1)
  })

  test('since takes a time, and a duration before now', async () => {
    expect(await cases(stage, `?since=${middle}`)).toHaveLength(2)
    expect(await cases(stage, '?since=1s')).toHaveLength(1)
    expect(await cases(stage, '?since=1h')).toHaveLength(3)
  })

  test('limit gives the newest, and all parts apply together', async () => {
    expect(await cases(stage, '?limit=2')).toEqual((await cases(stage)).slice(0, 2))
    expect(await cases(stage, '?sv=sv-2&read=lookupAnsEntryByName&since=1h&limit=5')).toHaveLength(1)
  })

  test.each([
    [
      'sv=sv-9',
      "The query parameter 'sv' was malformed:\n'sv-9' is not a valid name of a super validator of the roster",
    ],
    ['read=lookup', "The query parameter 'read' was malformed:\n'lookup' is not a valid id of a read"],
    ['read=toString', "The query parameter 'read' was malformed:\n'toString' is not a valid id of a read"],
    [
      'since=yesterday',
      "The query parameter 'since' was malformed:\n'yesterday' is not a valid time (2026-11-21T08:46:00Z), date (2026-11-21) or duration (1h30m)",
    ],
    ...['2026-13-01', '1h30', '1h30x', 'h', '', '20260101aa'].map((since) => [
      `since=${since}`,
      `The query parameter 'since' was malformed:\n'${since}' is not a valid time (2026-11-21T08:46:00Z), date (2026-11-21) or duration (1h30m)`,
    ]),
    [
      'svs=sv-2',
      "The query parameter 'svs' was malformed:\n'svs' is not a valid name of a query parameter: sv, read, since, limit",
    ],
    [
      'sv=sv-1&sv=sv-2',
      "The query parameter 'sv' was malformed:\n'sv-1, sv-2' is not a valid single value, and the parameter may be given only once",
    ],
    ['limit=0', "The query parameter 'limit' was malformed:\n'0' is not a valid number from 1 to 999999999"],
    ['limit=', "The query parameter 'limit' was malformed:\n'' is not a valid number from 1 to 999999999"],
    [
      'limit=1e3',
      "The query parameter 'limit' was malformed:\n'1e3' is not a valid number from 1 to 999999999",
    ],
  ])('is refused with 400 where it is wrong: %s', async (query, error) => {
    const heard = await stage.operations(`/evidence?${query}`)
    expect([heard.status, JSON.parse(heard.text)]).toEqual([400, { error }])
  })
})

test.each([
  [true, { name: 'dso.cns' }],
  [false, undefined],
])('evidence has the question itself only with evidence.questions: %s', async (questions, question) => {
  await using stage = await startStage({ config: { ...everybody, 'evidence.questions': questions } })
  await readAgainst(stage, byName('dso.cns'), ['sv-1'])
  const [shown] = await cases(stage)
  expect(shown?.question).toEqual(question)
})

test('evidence without questions still shows a name that a super validator stated, as the option warns', async () => {
  await using stage = await startStage({ config: everybody })
  await readAgainst(stage, byName('dso.cns'), ['sv-1'])
  const { bodies } = await stage.report('/evidence')
  expect(JSON.stringify(bodies)).toContain('dso.cns')
  for (const document of ['docs/configuration.md', 'docs/incidents.md', 'SECURITY.md']) {
    const text = await readFile(new URL(`../../${document}`, import.meta.url), 'utf8')
    expect(text.replace(/\s+/g, ' '), document).toContain('may contain the name that was asked for')
  }
})

describe('/status', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await startStage()
  })

  afterAll(() => stage[Symbol.asyncDispose]())

  test('refuses a query with 400, because it has no parameters', async () => {
    expect(await stage.operations('/status')).toMatchObject({ status: 200 })
    for (const query of ['x=1', 'x']) {
      const { status, text } = await stage.operations(`/status?${query}`)
      expect({ status, body: JSON.parse(text) }).toEqual({
        status: 400,
        body: {
          error:
            "The query parameter 'x' was malformed:\n'x' is not a valid name of a query parameter: /status has none",
        },
      })
    }
  })
})
