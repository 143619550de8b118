import { describe, expect, test } from 'vitest'
import { canonicalJson } from '../../src/base/lib/canonical-json.ts'
import { digest } from '../../src/base/lib/digest.ts'
import { seededRandom } from '../../src/base/lib/random.ts'
import type { ReadId } from '../../src/core/reads/endpoints.ts'
import { reads } from '../../src/core/reads/table.ts'
import { Connections } from '../../src/core/scan/connections.ts'
import type { DissentOutcome } from '../../src/core/scan/evidence-log.ts'
import { Budgets } from '../../src/core/scan/in-flight-budget.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { ScanResponse } from '../../src/core/scan/node.ts'
import type { RateLimit } from '../../src/core/scan/rate-limit.ts'
import { Rechecks } from '../../src/core/scan/rechecks.ts'
import type { RosterVoter } from '../../src/core/scan/roster.ts'
import { samples } from '../reads/samples.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { wireReads } from '../support/wired-reads.ts'
import { silentEvents } from '../telemetry/silent-events.ts'

const place = { url: 'https://scan.example', host: 'scan.example', origin: 'https://scan.example' }
const voter: RosterVoter = {
  names: ['sv-1'],
  operator: 'sv-1',
  configuredOperator: null,
  place,
  otherPlaces: [],
}

function saying(party: string): string {
  return JSON.stringify({ dso_party_id: `${party}::1220ab` })
}

function digestOf(party: string): string {
  return digest(canonicalJson({ dso_party_id: `${party}::1220ab` }))
}

const silence = 'silence'
const restarted = JSON.stringify({ error: 'No DsoRules contract found' })

/**
 * Sets up one dissenter from `truth`, and a clock that the test moves. The functions get the seconds since the dissent.
 * @param says returns the dissenter's reply.
 * @param agreedNow returns the value on which a quorum agrees at that time. Undefined if no quorum agrees.
 * @param amongAll returns how the dissent is filed if every super validator is asked.
 */
function meet(
  says: (seconds: number) => string,
  agreedNow: (seconds: number) => string | undefined,
  amongAll: (seconds: number) => DissentOutcome = () => 'dissent',
) {
  const clock = new ManualClock()
  const began = clock.now()
  const seconds = () => (clock.now() - began) / 1000
  const askedAt: number[] = []
  const everybodyAskedAt: number[] = []
  const filed: { readonly as: DissentOutcome; readonly read: string; readonly at: number }[] = []
  let rateLimit: RateLimit | undefined
  let pending = 0
  const connections = new Connections(
    { probeIntervalMs: 1e9, requestTimeoutMs: 5_000 },
    {
      clock,
      budgets: new Budgets({ maxInFlight: 8, maxBufferedBytes: 1 << 20 }),
      events: silentEvents,
      connect: (url, _budget, ownPace) => {
        rateLimit = ownPace
        return {
          url,
          ask: async () => {
            if (ownPace.isPaused) return { kind: 'fault', fault: 'held-back', detail: '' } as const
            askedAt.push(seconds())
            const text = says(seconds())
            const status = text === restarted ? 404 : 200
            if (text === silence) return { kind: 'fault', fault: 'timeout', detail: '' } as const
            return { kind: 'response', status, body: Buffer.from(text), release: () => {} } as const
          },
          isConnected: true,
          warm: () => {},
          [Symbol.asyncDispose]: async () => {},
        }
      },
    },
  )
  connections.of(voter)
  const rechecks = new Rechecks(
    {
      fanout: 'economical',
      requestTimeoutMs: 5_000,
      deadlineMs: 15_000,
      auditShare: 0,
      maxResponseBytes: 1e6,
      absentTexts: {},
    },
    {
      clock,
      connections,
      random: seededRandom(1),
      judge: new JudgeThread({ clock }),
      events: {
        dissentsPending: (_, count) => {
          pending = count
        },
      },
      again: {
        agreedNow: async () => {
          const party = agreedNow(seconds())
          return party === undefined ? undefined : digestOf(party)
        },
        amongAll: async () => {
          everybodyAskedAt.push(seconds())
          return amongAll(seconds())
        },
      },
    },
  )
  return {
    askedAt,
    everybodyAskedAt,
    filed,
    pending: () => pending,
    pause: (retryAfterSeconds: number) => rateLimit?.answered(429, String(retryAfterSeconds)),
    dissents(id: ReadId = 'getDsoPartyId', said = 'lie') {
      const file = (as: DissentOutcome) => filed.push({ as, read: id, at: seconds() })
      const question = { read: reads[id], params: {} }
      rechecks.add({ voter, question, said: digestOf(said), agreed: digestOf('truth'), isNewer: false, file })
    },
    async pass(until: number) {
      while (seconds() < until) {
        clock.advance(500)
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
}

const always = (party: string) => () => saying(party)
const truth = () => 'truth'

describe('a dissenter', () => {
  test('that gives what was agreed 6 to 10 s later was late, and is asked no more', async () => {
    const { dissents, pass, filed, askedAt } = meet(always('truth'), truth)
    dissents()
    await pass(5.5)
    expect(askedAt).toEqual([])
    await pass(70)
    expect(filed).toMatchObject([{ as: 'lag' }])
    expect(askedAt).toHaveLength(1)
    expect(filed[0]?.at).toBeLessThanOrEqual(10.5)
  })

  test('that is 30 s behind was late: everybody is asked once more 35 to 60 s after its dissent', async () => {
    const late = (at: number) => (at < 30 ? 'dissent' : 'lag')
    const { dissents, pass, filed, everybodyAskedAt, pending } = meet(always('old'), truth, late)
    dissents()
    await pass(34.5)
    expect(filed).toEqual([])
    expect(pending()).toBe(1)
    await pass(60)
    expect(filed).toMatchObject([{ as: 'lag' }])
    expect(everybodyAskedAt).toHaveLength(1)
    expect(everybodyAskedAt[0]).toBeGreaterThanOrEqual(35)
    expect(pending()).toBe(0)
  })

  test.each([
    ['had said so before was ahead', 'new', 'ahead'],
    ['had said something else was late', 'old', 'lag'],
  ])('that gives at the first look what a quorum agrees on by then, and %s', async (_, said, as) => {
    const { dissents, pass, filed, askedAt } = meet(always('new'), () => 'new')
    dissents('getDsoPartyId', said)
    await pass(60)
    expect(filed).toMatchObject([{ as }])
    expect(askedAt).toHaveLength(1)
  })

  test.each(['dissent', 'split', 'unchecked'] as const)(
    'that still differs is in the end what everybody who is asked then makes of it: %s',
    async (outcome) => {
      const { dissents, pass, filed, askedAt } = meet(always('lie'), truth, () => outcome)
      dissents()
      await pass(60)
      expect(filed).toMatchObject([{ as: outcome }])
      expect(askedAt).toHaveLength(1)
    },
  )

  test.each([
    ['does not answer at the first look', silence],
    ['has just been started then and cannot say yet', restarted],
  ])('that %s is looked at once more', async (_what, text) => {
    const { dissents, pass, filed, everybodyAskedAt } = meet(
      () => text,
      truth,
      () => 'lag',
    )
    dissents()
    await pass(34.5)
    expect(filed).toEqual([])
    await pass(60)
    expect(filed).toMatchObject([{ as: 'lag' }])
    expect(everybodyAskedAt).toHaveLength(1)
  })

  test('that asked for a pause until the time of the second look is asked with everybody when it is over', async () => {
    const { dissents, pass, pause, filed, askedAt, everybodyAskedAt } = meet(always('lie'), truth)
    dissents()
    pause(40)
    await pass(60)
    expect(filed).toMatchObject([{ as: 'dissent' }])
    expect(askedAt).toEqual([])
    expect(everybodyAskedAt).toHaveLength(1)
    expect(everybodyAskedAt[0]).toBeGreaterThanOrEqual(40)
  })

  test('that asks for a pause until a minute is over is not called a liar', async () => {
    const { dissents, pass, pause, filed } = meet(always('lie'), truth)
    dissents()
    await pass(20)
    pause(45)
    await pass(61)
    expect(filed).toMatchObject([{ as: 'unchecked' }])
  })
})

describe('one that dissents at every read', () => {
  test('is looked at for one dissent of each of two reads at a time, and each dissent is filed once', async () => {
    const { dissents, pass, filed, askedAt, everybodyAskedAt, pending } = meet(always('lie'), truth)
    for (let count = 0; count < 1_500; count++) dissents()
    expect(filed.map(({ as }) => as)).toEqual(Array.from({ length: 499 }, () => 'unchecked'))
    expect(pending()).toBe(1_001)
    for (const id of ['getAnsRules', 'getDsoInfo', 'getDsoInfo'] as const) dissents(id)
    await pass(60)
    expect(askedAt).toHaveLength(2)
    expect(everybodyAskedAt).toHaveLength(2)
    expect(filed).toHaveLength(1_503)
    expect(pending()).toBe(0)
  })

  test('has dissents that are not looked into filed as one about the same read', async () => {
    const { dissents, pass, filed } = meet((at) => saying(at < 1 ? 'x' : 'truth'), truth)
    dissents()
    dissents('getAnsRules')
    dissents()
    dissents('getAnsRules')
    dissents()
    await pass(11)
    const filings = filed.map(({ read, as }) => `${read} ${as}`)
    expect(filings).toEqual(['getDsoPartyId lag', 'getDsoPartyId lag', 'getDsoPartyId lag'])
  })
})

test.each(['all', 'economical'] as const)(
  'what a liar and a laggard agreed on first files no honest super validator as late (fan-out %s)',
  async (fanout) => {
    let isCaughtUp = false
    const ask = async (name: string): Promise<ScanResponse> => {
      const isOld = name === 'liar' || (name === 'laggard' && !isCaughtUp)
      // The honest ones answer after the two that make the first agreement.
      if (!isOld) for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      const body = Buffer.from(JSON.stringify({ dso_party_id: `DSO::1220${isOld ? 'aa' : 'bb'}` }))
      return { kind: 'response', status: 200, body, release: () => {} }
    }
    const names = ['liar', 'laggard', 'one', 'two']
    for (let seed = 0; seed < 20; seed++) {
      isCaughtUp = false
      const wired = wireReads({ names, rule: 'f+1', fanout, seed, ask })
      await using _ = wired.judge
      await wired.examiner.examine({ read: reads.getDsoPartyId, params: {} }, { everyone: true })
      isCaughtUp = true
      for (let seconds = 0; seconds < 60; seconds++) {
        wired.clock.advance(1_000)
        for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
      }
      const filed = wired.evidence.cases().map(({ dissent }) => dissent)
      expect(filed).toHaveLength(1)
      for (const name of ['one', 'two']) expect(filed[0]?.[name] ?? 'ahead', `seed ${seed}`).toBe('ahead')
    }
  },
)

test.each([
  ['a later expiry', ['2026-02-01', '2026-03-01', '2026-04-01'], 'ahead'],
  ['a name that the others did not have yet', ['none', '2026-03-01', '2026-04-01'], 'ahead'],
  ['an earlier expiry', ['2026-03-01', '2026-02-01', '2026-04-01'], 'lag'],
] as const)(
  'one that gave %s than what was agreed is filed by that, also when the ledger has gone on since',
  async (_, [agreed, other, later], as) => {
    let hasGoneOn = false
    const ask = async (name: string): Promise<ScanResponse> => {
      const isFirst = name === 'liar' || name === 'laggard'
      if (!isFirst) for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
      const expiry = hasGoneOn ? later : isFirst ? agreed : other
      const entry = { ...samples.lookupAnsEntryByName.reply.entry, expires_at: `${expiry}T00:00:00Z` }
      const missing = { error: `No ans entry found for name: ${entry.name}` }
      const body = Buffer.from(JSON.stringify(expiry === 'none' ? missing : { entry }))
      return { kind: 'response', status: expiry === 'none' ? 404 : 200, body, release: () => {} }
    }
    const wired = wireReads({ names: ['liar', 'laggard', 'one'], rule: 2, fanout: 'all', seed: 1, ask })
    await using _judge = wired.judge
    const { name } = samples.lookupAnsEntryByName.reply.entry
    await wired.examiner.examine({ read: reads.lookupAnsEntryByName, params: { name } }, { everyone: true })
    hasGoneOn = true
    for (let seconds = 0; seconds < 60; seconds++) {
      wired.clock.advance(1_000)
      for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(wired.evidence.cases().map(({ dissent }) => dissent)).toEqual([{ one: as }])
  },
)
