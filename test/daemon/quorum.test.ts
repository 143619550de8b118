import { describe, expect, test } from 'vitest'
import type { Faults, NodeFaultKind } from '../../src/localnet/faults.ts'
import type { Heard } from '../localnet/ask.ts'
import { advanceBy, type Stage, settled, startStage } from '../support/daemon.ts'
import { asTimePasses, eventually } from '../support/eventually.ts'
import { byName, byParty, nothingKept, questionsAbout, saidIn } from './questions.ts'

const second = 1_000
const alice = byName('alice.unverified.cns')
const nobody = byName('nobody.unverified.cns')

const sizes = [
  { superValidators: 4, f: 1 },
  { superValidators: 13, f: 4 },
]

/**
 * Makes a read while these nodes hang. Moves the clock by a little more than the shortest delay of a hedge whenever no other node is
 * asked.
 * @returns how far the clock was moved, in milliseconds.
 */
async function patienceFor(
  stage: Stage,
  path: string,
  hung: readonly string[],
  options = {},
): Promise<[Heard, number]> {
  const asksOfHung = () => hung.reduce((sum, name) => sum + stage.localnet.asks(name), 0)
  let answer: Heard | undefined
  let advanced = 0
  const start = asksOfHung()
  const hangingAlready = await inFlight(stage)
  const asked = stage.get(path, options).then((heard) => {
    answer = heard
  })
  for (;;) {
    await eventually(async () => {
      const open = await inFlight(stage)
      const hanging = asksOfHung() - start
      return answer !== undefined || (hanging > 0 && open === hangingAlready + hanging)
    })
    if (answer !== undefined) break
    stage.clock.advance(hedgedWithinMs)
    advanced += hedgedWithinMs
  }
  await asked
  return [answer, advanced]
}

const hedgedWithinMs = 20

async function inFlight(stage: Stage): Promise<number> {
  return (await stage.metrics()).value('scan_proxy_in_flight_asks')
}

interface List {
  readonly entries: readonly unknown[]
}

/** `complete=?0` says that a list was agreed on item by item, and may lack items. */
function isIncomplete({ headers }: Heard): boolean {
  return String(headers['x-bft-quorum']).includes('complete=?0')
}

function listIn({ text }: Heard): unknown[] {
  return JSON.parse(text).entries
}

describe.each(sizes)('With $superValidators super validators:', ({ superValidators, f }) => {
  test('f that hang cost a caller f+1 hedge delays at most, and never a time-out', async () => {
    await using stage = await startStage({ superValidators, config: nothingKept })
    const questions = questionsAbout(stage.localnet, stage.clock.wall())
    const hung = stage.names.slice(-f)
    await stage.fault(hung, 'hang')
    for (const { what, path, options, status, truth } of questions) {
      const [heard, advanced] = await patienceFor(stage, path, hung, options)
      expect({ what, ...saidIn(heard) }).toEqual({ what, status, truth })
      expect(advanced, what).toBeLessThanOrEqual((f + 1) * hedgedWithinMs)
    }
  })

  const lies: readonly (readonly [sentence: string, fault: (index: number) => Faults])[] = [
    ['that tell one lie', () => ({ kind: 'lie' })],
    ['that deny everything', () => ({ kind: 'deny' })],
    ['of which each lies for itself', () => ({ kind: 'lie', alone: true })],
    ['of which one half lies and the other denies', (index) => ({ kind: index % 2 === 0 ? 'lie' : 'deny' })],
    ['that tell another lie each time', () => ({ kind: 'equivocate' })],
  ]
  test.each(lies)('`2f+1` never answers wrongly, with f+1 to 2f %s', async (_sentence, fault) => {
    const config = { ...nothingKept, 'scanClient.threshold': '2f+1' }
    await using stage = await startStage({ superValidators, config })
    const questions = questionsAbout(stage.localnet, stage.clock.wall())
    for (const liars of new Set([f + 1, 2 * f])) {
      for (const [index, name] of stage.names.slice(0, liars).entries())
        await stage.fault([name], fault(index))
      for (const { what, path, options, status, truth } of questions) {
        const heard = await stage.get(path, options)
        if (heard.status === 502) expect(Object.keys(JSON.parse(heard.text))).toEqual(['error'])
        else if (isIncomplete(heard))
          expect((truth as List).entries).toEqual(expect.arrayContaining(listIn(heard)))
        else expect({ what, ...saidIn(heard) }).toEqual({ what, status, truth })
      }
    }
  })

  test.each(['uninitialised', 'unknown-path'] as const)(
    'scans of the kind %s never count towards "not found"',
    async (kind) => {
      await using stage = await startStage({ superValidators, config: nothingKept })
      const party = byParty(stage.localnet.truth.entryByName('alice.unverified.cns')?.user ?? '')
      // The fault leaves f nodes, one fewer than an answer needs.
      await stage.fault(stage.names.slice(f), kind)
      for (const path of [alice, nobody, party, byParty('nobody::1220ab')]) {
        expect((await stage.get(path)).status, path).toBe(502)
      }
      await stage.fault(stage.names.slice(f, f + 1), undefined)
      expect((await stage.get(alice)).status).toBe(200)
      expect((await stage.get(party)).status).toBe(200)
      expect((await stage.get(nobody)).status).toBe(404)
      const { value, families } = await stage.metrics()
      const abstained = families
        .get('scan_proxy_votes_total')
        ?.samples.filter(({ labels }) => labels['vote'] === 'abstain')
      expect(abstained?.length).toBeGreaterThan(0)
      expect(value('scan_proxy_unknown_refusals_total', { read: 'lookupAnsEntryByName' })).toBe(0)
    },
  )

  test.each([
    ['503', 'status'],
    ['500', 'error'],
  ] as const)(
    'when all answer %s it is 502, nothing is kept, and nobody is asked twice',
    async (_status, kind) => {
      await using stage = await startStage({ superValidators })
      await stage.fault(stage.names, kind)
      const threshold = f + 1
      const tooFew =
        /^Only (\d) scan instances can be used \(out of (\d+) configured ones\), which are fewer than the necessary (\d) to achieve BFT guarantees\.$/
      for (let round = 1; round <= 3; round++) {
        const heard = await stage.get(alice)
        expect(heard).toMatchObject({ status: 502, headers: { 'cache-control': 'no-store' } })
        const [, usable, total, needed] = tooFew.exec(JSON.parse(heard.text).error)?.map(Number) ?? []
        expect({ total, needed }).toEqual({ total: superValidators, needed: threshold })
        expect(usable).toBeLessThan(threshold)
        for (const name of stage.names)
          expect(stage.localnet.asks(name, 'by-name')).toBeLessThanOrEqual(round)
      }
      await settled(stage)
      const asks = stage.asks('by-name')
      stage.clock.advance(60 * second)
      expect((await stage.get('/readyz')).status).toBe(200)
      expect(stage.asks('by-name'), 'nobody asks again by himself').toBe(asks)
      await settled(stage)
      await stage.fault(stage.names, undefined)
      stage.clock.advance(second)
      expect((await stage.get(alice)).status).toBe(200)
    },
  )

  test('when all answer 429 each is asked once more after its pause, and then it is 502', async () => {
    await using stage = await startStage({ superValidators, config: nothingKept })
    await stage.fault(stage.names, { kind: 'rate-limit', retryAfter: 3 })
    const heard = await asTimePasses(stage.clock, stage.get(alice))
    expect(heard).toMatchObject({ status: 502, headers: { 'cache-control': 'no-store' } })
    expect(JSON.parse(heard.text).error).toMatch(/^Only 0 scan instances can be used/)
    for (const name of stage.names) expect(stage.localnet.asks(name, 'by-name')).toBeLessThanOrEqual(2)
  })

  test('when all answer 429 and their pauses end before the deadline it waits for them, and is 200', async () => {
    await using stage = await startStage({ superValidators, config: nothingKept })
    await stage.fault(stage.names, { kind: 'rate-limit', retryAfter: 3 })
    const heard = stage.get(alice)
    await eventually(async () => {
      const { value } = await stage.metrics()
      return stage.names.every(
        (sv) => value('scan_proxy_scan_requests_total', { sv, outcome: 'rate-limited' }) === 1,
      )
    })
    await stage.fault(stage.names, undefined)
    expect((await asTimePasses(stage.clock, heard)).status).toBe(200)
    await settled(stage)
    const { value } = await stage.metrics()
    expect(value('scan_proxy_reads_total', { read: 'lookupAnsEntryByName', outcome: 'agreed' })).toBe(1)
  })

  test('when they differ too much it is 502 in the words for that', async () => {
    await using stage = await startStage({ superValidators })
    await stage.fault(stage.names, { kind: 'lie', alone: true })
    const heard = await stage.get(alice)
    expect(heard.status).toBe(502)
    expect(JSON.parse(heard.text)).toEqual({
      error: `Failed to reach consensus from ${superValidators} Scan nodes, requiring ${f + 1} matching responses.`,
    })
  })

  test.each([
    ['the others have not ingested it yet', 'lag', 3_600 * second],
    ['it is over by the clocks of the others', 'skew', 3 * second],
  ] as const)('what enough of them hold never disappears while %s', async (_sentence, kind, lifeMs) => {
    await using stage = await startStage({ superValidators, config: nothingKept })
    await stage.fault(stage.names.slice(f + 1), { kind, by: 5 * second })
    const [name, user] = ['new.unverified.cns', 'new::1220ab']
    stage.localnet.world.put({ name, user, expiresAt: stage.clock.wall() + lifeMs })
    stage.clock.advance(second)
    for (let round = 0; round < 20; round++) {
      expect((await stage.get(byName(name))).status).toBe(200)
      expect((await stage.get(byParty(user))).status).toBe(200)
    }
  })

  test.each(['lag', 'skew'] as const)(
    'f nodes with the fault %s make no name disappear from a list',
    async (kind) => {
      await using stage = await startStage({ superValidators, config: nothingKept })
      const { world } = stage.localnet
      for (const [index, name] of stage.names.slice(-f).entries()) {
        await stage.fault([name], { kind, by: (4 + index) * second })
      }
      world.put({
        name: 'new.unverified.cns',
        user: 'new::1220ab',
        expiresAt: stage.clock.wall() + 3 * second,
      })
      stage.clock.advance(second)
      for (let round = 0; round < 20; round++) {
        const heard = await stage.get('/v0/ans-entries?page_size=9&name_prefix=new')
        expect(listIn(heard)).toEqual([stage.localnet.truth.entryByName('new.unverified.cns')])
      }
    },
  )
})

async function votes(stage: Stage, sv: string, vote: string, read = 'lookupAnsEntryByName'): Promise<number> {
  return (await stage.metrics()).value('scan_proxy_votes_total', { sv, read, vote })
}

async function pending(stage: Stage): Promise<number> {
  const { cases } = await stage.report('/evidence')
  const filings: string[] = cases.flatMap((kept: { dissent: object }) => Object.values(kept.dissent))
  return filings.filter((filing) => filing === 'pending').length
}

test('if nodes differ on several names of one party, the first name by code point is served, and no node is blamed', async () => {
  await using stage = await startStage({ config: nothingKept })
  const { world } = stage.localnet
  for (const name of ['a_b.unverified.cns', 'a-c.unverified.cns']) {
    world.put({ name, user: 'many::1220ab', expiresAt: stage.clock.wall() + 60 * second })
  }
  stage.clock.advance(1)
  // With this fault, sv-1 and sv-3 sort names by code point. sv-2 and sv-4 sort names by the default collation of a
  // database.
  await stage.fault(['sv-1', 'sv-3'], 'reorder')
  for (let round = 0; round < 20; round++) {
    const heard = await stage.get(byParty('many::1220ab'))
    const differed = String(heard.headers['x-bft-quorum']).includes('asked=4')
    const { name } = JSON.parse(heard.text).entry
    expect(name).toBeOneOf(differed ? ['a-c.unverified.cns'] : ['a-c.unverified.cns', 'a_b.unverified.cns'])
  }
  await settled(stage)
  expect((await stage.report('/evidence')).cases).toEqual([])
})

describe('Lag is not a lie:', () => {
  const late: readonly (readonly [sentence: string, fault: Faults, act: (stage: Stage) => string])[] = [
    [
      'who has not ingested a new name',
      { kind: 'lag', by: 4 * second },
      ({ localnet, clock }) => {
        const name = 'new.unverified.cns'
        localnet.world.put({ name, user: 'new::1220ab', expiresAt: clock.wall() + 3_600 * second })
        clock.advance(second)
        return name
      },
    ],
    [
      'who has not ingested that a name is gone',
      { kind: 'lag', by: 4 * second },
      ({ localnet, clock }) => {
        const name = 'alice.unverified.cns'
        localnet.world.put({ name, user: 'alice::1220ab', expiresAt: clock.wall() - 1 })
        clock.advance(second)
        return name
      },
    ],
    [
      'who has not ingested that a name was renewed',
      { kind: 'lag', by: 4 * second },
      ({ localnet, clock }) => {
        const name = 'alice.unverified.cns'
        localnet.world.put({ name, user: 'alice::1220ab', expiresAt: clock.wall() + 7_200 * second })
        clock.advance(second)
        return name
      },
    ],
    [
      'whose clock says that a name is over',
      { kind: 'skew', by: 4 * second },
      ({ localnet, clock }) => {
        const name = 'soon.unverified.cns'
        localnet.world.put({ name, user: 'soon::1220ab', expiresAt: clock.wall() + 3 * second })
        clock.advance(1)
        return name
      },
    ],
    [
      'whose clock does not say yet that a name is over',
      { kind: 'skew', by: -4 * second },
      ({ localnet, clock }) => {
        const name = 'over.unverified.cns'
        localnet.world.put({ name, user: 'over::1220ab', expiresAt: clock.wall() + 2 * second })
        clock.advance(3 * second)
        return name
      },
    ],
  ]
  test.each(late)('%s is asked again and filed as late, or as ahead', async (sentence, fault, act) => {
    const config = { ...nothingKept, 'scanClient.fanout': 'all' }
    await using stage = await startStage({ config })
    await stage.fault(['sv-4'], fault)
    const name = act(stage)
    const truth = stage.localnet.truth.entryByName(name)
    expect((await stage.get(byName(name))).status).toBe(truth === undefined ? 404 : 200)
    await eventually(async () => (await pending(stage)) === 1)
    stage.clock.advance(10 * second)
    await eventually(async () => (await pending(stage)) === 0)
    const filing = sentence === 'whose clock says that a name is over' ? 'ahead' : 'lag'
    expect(await votes(stage, 'sv-4', filing)).toBe(1)
    expect(await votes(stage, 'sv-4', 'dissent')).toBe(0)
    expect((await stage.report('/evidence')).cases[0].dissent).toEqual({ 'sv-4': filing })
    expect(stage.lines().filter(({ msg }) => msg === 'a super validator contradicts the quorum')).toEqual([])
  })
})

describe('A dissenter that may not be asked now', () => {
  const config = { ...nothingKept, 'scanClient.fanout': 'all' }

  async function dissenting(): Promise<Stage> {
    const stage = await startStage({ config })
    await stage.fault(['sv-4'], 'deny')
    expect((await stage.get(alice)).status).toBe(200)
    await eventually(async () => (await pending(stage)) === 1)
    return stage
  }

  async function filedAs(stage: Stage): Promise<unknown> {
    return (await stage.report('/evidence')).cases[0].dissent
  }

  test('because it asked for a pause is asked when that is over, and what it then says decides', async () => {
    await using stage = await dissenting()
    await stage.fault(['sv-4'], { kind: 'rate-limit', retryAfter: 30 })
    await stage.get(nobody)
    const before = stage.localnet.asks('sv-4', 'by-name')
    await stage.fault(['sv-4'], undefined)
    await advanceBy(stage, 28)
    expect(stage.localnet.asks('sv-4', 'by-name')).toBe(before)
    expect(await filedAs(stage)).toEqual({ 'sv-4': 'pending' })
    await advanceBy(stage, 6)
    await eventually(async () => (await pending(stage)) === 0)
    expect(await filedAs(stage)).toEqual({ 'sv-4': 'lag' })
    expect(await votes(stage, 'sv-4', 'dissent')).toBe(0)
  })

  test('and answers when it is asked again with a pause is asked when that is over, and a lie is a dissent', async () => {
    await using stage = await dissenting()
    await stage.fault(['sv-4'], { kind: 'rate-limit', retryAfter: 20 })
    const paused = stage.localnet.nextRequest('sv-4', 'by-name')
    await advanceBy(stage, 10)
    await paused
    await stage.fault(['sv-4'], 'deny')
    expect(await pending(stage)).toBe(1)
    await advanceBy(stage, 45)
    await eventually(async () => (await pending(stage)) === 0)
    expect(await filedAs(stage)).toEqual({ 'sv-4': 'dissent' })
  })

  test('nor within a minute is filed as unchecked, and neither as a liar nor as late', async () => {
    await using stage = await dissenting()
    await stage.fault(['sv-4'], { kind: 'rate-limit', retryAfter: 600 })
    await stage.get(nobody)
    await advanceBy(stage, 70)
    await eventually(async () => (await pending(stage)) === 0)
    expect(await filedAs(stage)).toEqual({ 'sv-4': 'unchecked' })
    expect(await votes(stage, 'sv-4', 'unchecked')).toBe(1)
    expect(await votes(stage, 'sv-4', 'dissent')).toBe(0)
    expect(await votes(stage, 'sv-4', 'lag')).toBe(0)
  })

  test('because it was asked as often as it may be waits for its turn', async () => {
    const info = '/registry/metadata/v1/info'
    await using stage = await startStage({
      config: { ...config, 'scanClient.registryAsksPerMinute': 2 },
    })
    await stage.fault(['sv-4'], 'lie')
    expect((await stage.get(info)).status).toBe(200)
    await eventually(async () => (await pending(stage)) === 1)
    const asks = () => stage.localnet.asks('sv-4') - stage.localnet.asks('sv-4', 'dso-party-id')
    const before = asks()
    await advanceBy(stage, 59)
    expect(asks(), 'one look of two').toBe(before + 1)
    expect(await pending(stage)).toBe(1)
    await advanceBy(stage, 4)
    await eventually(async () => (await pending(stage)) === 0)
    expect(await filedAs(stage)).toEqual({ 'sv-4': 'dissent' })
  })
})

describe('A lie is not lag:', () => {
  const liars: readonly NodeFaultKind[] = ['lie', 'deny', 'equivocate']
  test.each(liars)(
    'a super validator with the fault %s is named with its reply, beside the agreed one',
    async (kind) => {
      const config = { ...nothingKept, 'scanClient.fanout': 'all' }
      await using stage = await startStage({ config })
      await stage.fault(['sv-2'], kind)
      const heard = await stage.get(alice)
      expect(heard.status).toBe(200)
      await eventually(async () => (await pending(stage)) === 1)
      await advanceBy(stage, 55)
      await eventually(async () => (await pending(stage)) === 0)
      expect(await votes(stage, 'sv-2', 'dissent')).toBe(1)
      expect(await votes(stage, 'sv-2', 'lag')).toBe(0)
      for (const name of ['sv-1', 'sv-3', 'sv-4']) {
        expect(await votes(stage, name, 'dissent'), name).toBe(0)
        expect(await votes(stage, name, 'agree'), name).toBe(1)
      }
      const { cases, bodies } = await stage.report('/evidence')
      expect(cases).toEqual([
        {
          at: expect.stringMatching(/^2026-01-01T/),
          read: 'lookupAnsEntryByName',
          params: expect.stringMatching(/^[\w-]{43}$/),
          outcome: 'agreed',
          rule: 'enough super validators gave the same value',
          agreed: expect.stringMatching(/^[\w-]{43}$/),
          statements: expect.arrayContaining([
            { kind: 'value', digest: cases[0].agreed, who: ['sv-1', 'sv-3', 'sv-4'] },
            { kind: kind === 'deny' ? 'refusal' : 'value', digest: expect.any(String), who: ['sv-2'] },
          ]),
          silent: [],
          dissent: { 'sv-2': 'dissent' },
        },
      ])
      const said = cases[0].statements.find(({ who }: { who: readonly string[] }) => who[0] === 'sv-2').digest
      expect(JSON.parse(bodies[cases[0].agreed])).toEqual(JSON.parse(heard.text))
      expect(bodies[said]).toContain(kind === 'deny' ? 'No ans entry found' : 'mallory')
      const lines = stage.lines().filter(({ msg }) => msg === 'a super validator contradicts the quorum')
      expect(lines).toMatchObject([{ level: 'warn', sv: 'sv-2', read: 'lookupAnsEntryByName' }])
    },
  )

  test('where two groups are each too many to be all faulty, the one that is not answered is split from the other', async () => {
    const config = { ...nothingKept, 'scanClient.fanout': 'all' }
    await using stage = await startStage({ superValidators: 4, config })
    await stage.fault(['sv-2', 'sv-3'], 'lie')
    const { headers } = await stage.get(alice)
    const others = stage.names.filter((name) => !String(headers['x-bft-agreed']).includes(`"${name}"`))
    expect(others).toHaveLength(2)
    await eventually(async () => (await pending(stage)) === 2)
    await advanceBy(stage, 55)
    await eventually(async () => (await pending(stage)) === 0)
    const { cases } = await stage.report('/evidence')
    for (const as of Object.values(cases[0].dissent)) expect(as).toBeOneOf(['split', 'ahead'])
    for (const name of stage.names) expect(await votes(stage, name, 'dissent'), name).toBe(0)
  })

  test('one that tells another lie each time changes nothing, however often it is asked', async () => {
    await using stage = await startStage({ superValidators: 4, config: nothingKept })
    await stage.fault(['sv-1'], 'equivocate')
    const truth = { entry: stage.localnet.truth.entryByName('alice.unverified.cns') }
    for (let round = 0; round < 100; round++) {
      expect(saidIn(await stage.get(alice))).toEqual({ status: 200, truth })
      expect((await stage.get(nobody)).status).toBe(404)
    }
    for (const name of ['sv-2', 'sv-3', 'sv-4']) {
      expect(await votes(stage, name, 'dissent')).toBe(0)
    }
  })
})
