import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/base/lib/random.ts'
import { Connection } from '../../src/core/scan/connections.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import { RequestGroup, type ScanRequest, type ScanResponse } from '../../src/core/scan/node.ts'
import { RateLimit } from '../../src/core/scan/rate-limit.ts'
import { mirroredTemplates } from '../../src/mirror/mirrored-contracts.ts'
import { drainScan, type ScanDrain } from '../../src/mirror/scan-drain.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { ansEntry, digestOfSet, dso, rulesOf } from './contracts.ts'
import { at, type Behaviour, type KnownForms, migrationId, SnapshotScan } from './snapshot-scan.ts'

const ledger = [...Array.from({ length: 7 }, (_, index) => ansEntry(`name-${index}.cns`)), ...rulesOf()]
const agreed = { kind: 'value', vote: digestOfSet(ledger) }

interface Stage {
  readonly clock: ManualClock
  readonly scan: SnapshotScan
  readonly requests: readonly ScanRequest[]
  readonly rateLimit: RateLimit
  readonly drain: () => Promise<ScanDrain>
  /** What the drain told the fan-out. */
  readonly told: readonly string[]
}

function stage(
  behaviour: Behaviour,
  instead: (request: number) => ScanResponse | Promise<ScanResponse> | undefined = () => undefined,
  asksPerSecond?: number,
): Stage {
  const clock = new ManualClock(at + 60_000)
  const scan = new SnapshotScan(behaviour, ledger, seededRandom(7))
  const honest = scan.node('https://scan.example')
  const requests: ScanRequest[] = []
  const rateLimit = new RateLimit({ asksPerSecond }, clock)
  const node = {
    ...honest,
    ask: async (...[request, group]: Parameters<typeof honest.ask>) => {
      requests.push(request)
      rateLimit.tryTake('scan')
      return instead(requests.length - 1) ?? honest.ask(request, group)
    },
  }
  const connection = new Connection(node, new Budget({ slots: 8, bytes: 1 << 20 }), rateLimit, { clock })
  const options = {
    asked: { at, migrationId, dso, templates: mirroredTemplates, pageSize: 4 },
    maxEntries: 64,
    maxPageBytes: 1 << 20,
    requestTimeoutMs: 5_000,
    deadline: clock.now() + 60_000,
    mostKept: 1 << 20,
  }
  const { signal } = new AbortController()
  const told: string[] = []
  const drain = () =>
    drainScan(connection, options, {
      clock,
      judge: new JudgeThread({ clock }),
      late: () => told.push('late'),
      paused: () => told.push('paused'),
      signal,
    })
  return { clock, scan, requests, rateLimit, drain, told }
}

async function ended(clock: ManualClock, draining: Promise<ScanDrain>): Promise<ScanDrain> {
  let drain: ScanDrain | undefined
  void draining.then((value) => {
    drain = value
  })
  for (let step = 0; step < 2_000 && drain === undefined; step++) {
    await new Promise(setImmediate)
    clock.advance(50)
  }
  return draining
}

function formsIn(requests: readonly ScanRequest[]): readonly string[] {
  return requests.map(({ path }) => path.split('/')[3] as string)
}

function status(code: number, error: string): ScanResponse {
  return { kind: 'response', status: code, body: Buffer.from(JSON.stringify({ error })), release: () => {} }
}

describe('The drain of one scan', () => {
  test('is late once a page takes longer than one request may', async () => {
    const page = Promise.withResolvers<ScanResponse>()
    const { clock, requests, drain, told } = stage('honest', (request) =>
      request === 1 ? page.promise : undefined,
    )
    const drained = drain()
    await eventually(() => requests.length === 2)
    clock.advance(4_999)
    expect(told).toEqual([])
    clock.advance(1)
    expect(told).toEqual(['late'])
    page.resolve({ kind: 'fault', fault: 'oversized', detail: '' })
    expect((await drained).reply).toEqual({ kind: 'fault', fault: 'oversized' })
  })

  test('reads pages that are too long for the serving thread', async () => {
    const long = new SnapshotScan('large pages', ledger, () => 0.99).node('https://scan.example')
    const { clock, requests, drain } = stage('honest', (request) =>
      long.ask(requests[request] as ScanRequest, new RequestGroup(new AbortController().signal, clock)),
    )
    expect((await drain()).reply).toEqual(agreed)
  })

  test("follows the scan's own tokens and asks for the exact instant and the two templates", async () => {
    const { requests, drain } = stage('honest')
    expect(await drain()).toMatchObject({ reply: agreed, seenAt: at + 60_000 })
    const bodies = requests.map(({ body = '' }) => JSON.parse(String(body)))
    expect(bodies[0]).toEqual({
      migration_id: 3,
      page_size: 4,
      record_time: '2026-03-01T12:00:00Z',
      record_time_match: 'exact',
      templates: [
        'splice-amulet-name-service:Splice.Ans:AnsEntry',
        'splice-dso-governance:Splice.DsoRules:DsoRules',
      ],
    })
    expect(bodies.slice(1)).toEqual(bodies.slice(1).map(({ after }) => ({ ...bodies[0], after })))
    expect(new Set(bodies.map(({ after }) => after)).size).toBe(3)
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/api/scan/v2/state/acs', maxBytes: 1 << 20 })
  })

  test('waits while the scan has no requests to spare', async () => {
    const { clock, requests, rateLimit, drain } = stage('honest', undefined, 4)
    const started = clock.now()
    rateLimit.tryTake('scan')
    const draining = drain()
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    expect(requests).toHaveLength(2)
    expect(await ended(clock, draining)).toMatchObject({ reply: agreed })
    expect(clock.now() - started).toBeGreaterThanOrEqual(1_000)
    expect(requests).toHaveLength(3)
  })

  test('asks again for a page after a fault that may pass, and not after another fault', async () => {
    const reset = { kind: 'fault', fault: 'reset', detail: '' } as const
    const flaky = stage('honest', (request) => (request === 1 || request === 2 ? reset : undefined))
    expect(await ended(flaky.clock, flaky.drain())).toMatchObject({ reply: agreed })
    const broken = stage('honest', (request) => (request > 0 ? reset : undefined))
    expect(await ended(broken.clock, broken.drain())).toMatchObject({
      reply: { kind: 'fault', fault: 'reset' },
    })
    expect(broken.requests).toHaveLength(4)
    const redirected = stage('honest', () => status(302, ''))
    expect(await redirected.drain()).toMatchObject({ reply: { kind: 'fault', fault: 'redirect' } })
    expect(redirected.requests).toHaveLength(1)
  })

  test('goes on after a pause that the scan asked for', async () => {
    const limited = stage('honest', (request) => {
      if (request !== 1) return undefined
      limited.rateLimit.answered(429, '5')
      return status(429, 'slower')
    })
    const started = limited.clock.now()
    expect(await ended(limited.clock, limited.drain())).toMatchObject({ reply: agreed })
    expect(limited.clock.now() - started).toBeGreaterThanOrEqual(5_000)
    expect(limited.requests).toHaveLength(4)
    expect(limited.told).toEqual(['paused'])
  })

  test('is a time-out if the scan never has requests to spare', async () => {
    const { clock, rateLimit, requests, drain } = stage('honest')
    rateLimit.answered(429, '600')
    expect(await ended(clock, drain())).toMatchObject({
      reply: { kind: 'fault', fault: 'timeout' },
      set: undefined,
    })
    expect(requests).toHaveLength(0)
  })

  test.each([
    [404, 'No snapshots found before 2026-03-01T12:00Z'],
    [404, 'Failed to find ACS snapshot for migration id 3 at 2026-03-01T12:00:00Z'],
    [503, 'This scan instance has not yet replicated all data. Try again later.'],
  ])('is an abstention after %i "%s"', async (code, error) => {
    const { drain } = stage('honest', () => status(code, error))
    expect(await drain()).toMatchObject({ reply: { kind: 'abstention', reason: error }, seenAt: undefined })
  })

  test.each<[string, KnownForms, string[]]>([
    ['both forms', ['v1', 'v2'], ['v2', 'v2', 'v2']],
    ['the newer form only', ['v2'], ['v2', 'v2', 'v2']],
    ['the older form only', ['v1'], ['v2', 'v1', 'v1', 'v1']],
  ])('reads the same set of a scan that knows %s', async (_what, forms, asked) => {
    const { scan, requests, drain } = stage('honest')
    scan.forms = forms
    expect((await drain()).reply).toEqual(agreed)
    expect(formsIn(requests)).toEqual(asked)
  })

  test('of a scan that knows no form is an abstention, which says so', async () => {
    const { scan, requests, drain } = stage('honest')
    scan.forms = []
    const reason = 'The requested resource could not be found.'
    expect(await drain()).toMatchObject({ reply: { kind: 'abstention', reason }, set: undefined })
    expect(formsIn(requests)).toEqual(['v2', 'v1', 'v2'])
  })

  test.each([
    ['endless tokens', 4],
    ['endless empty pages', 36],
    // Whether a row is repeated is found when all hashes of rows are there.
    ['repeat a page', 3],
  ] as const)('ends as a wrong answer for a scan with "%s"', async (behaviour, most) => {
    const { requests, drain } = stage(behaviour)
    expect(await drain()).toMatchObject({ reply: { kind: 'fault', fault: 'wrong-answer' }, set: undefined })
    expect(requests.length).toBeLessThanOrEqual(most)
  })

  test('stops reading as soon as there are too many entries', async () => {
    const { requests, drain } = stage('too many')
    expect(await drain()).toMatchObject({ reply: { kind: 'refusal' } })
    expect(requests.length).toBeLessThanOrEqual(18)
  })
})
