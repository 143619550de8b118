import fc from 'fast-check'
import { Roster } from '../../src/core/scan/roster.ts'
import type { ConnectProblem, ConnectStep, Inspection } from '../../src/doctor/inspect-connection.ts'
import { type Examined, makeReport } from '../../src/doctor/make-report.ts'
import type { LedgerSpan, Observation, QuestionOutcome } from '../../src/doctor/observation.ts'
import type { DoctorReport } from '../../src/doctor/report.ts'

export const now = Date.UTC(2026, 2, 1, 12)
export const dso = `DSO::1220${'ab'.repeat(32)}`
export const synchronizer = 'global-domain::1220aa'

export const said = <Value>(value: Value): QuestionOutcome<Value> => ({ kind: 'said', value })
const passed: ConnectStep = { kind: 'passed' }

export const connected: Inspection = {
  proxy: null,
  addresses: ['203.0.113.20'],
  localAddress: '10.0.0.5',
  dns: passed,
  tcp: passed,
  tls: passed,
  certificate: { names: 'scan.example.org', issuer: 'R11, Example', endsAt: now + 60 * 86_400_000 },
}

export function upTo(ageMs: number): LedgerSpan {
  return { beginsAt: now - 400 * 86_400_000, headAt: now - ageMs, heardAt: now }
}

export const wellSeen: Observation = {
  url: 'https://scan.example.org',
  blocked: null,
  connection: connected,
  version: said('0.7.5'),
  dso: said(dso),
  synchronizer: said(synchronizer),
  roster: null,
  progress: said(upTo(1_000)),
  snapshot: said(now - 3_600_000),
  complete: said(true),
}

export interface Network {
  readonly observations: readonly Observation[]
  readonly operators?: Readonly<Record<string, readonly string[]>>
  readonly egressAddresses?: readonly string[]
}

const urlOf = (index: number) => `https://scan-${index}.example.org`

export function reportOn({ observations, operators = {}, egressAddresses = [] }: Network): DoctorReport {
  const members = observations.map((_, index) => ({ name: `sv-${index}`, urls: [urlOf(index)] }))
  const trust = { scanType: 'bft', svNames: [], threshold: 'f+1', thresholds: {}, operators } as const
  const examined: Examined = {
    at: now,
    network: 'remote',
    roster: new Roster({ dso, synchronizer, members }, trust),
    origin: { source: 'agreed', toldBy: members.length, needed: 1, seeds: members.length },
    ...trust,
    minimumVoters: 1,
    egressAddresses,
    observations: new Map(observations.map((seen, index) => [urlOf(index), { ...seen, url: urlOf(index) }])),
  }
  return makeReport(examined)
}

const connectProblems =
  'blocked no-address timeout refused reset no-route expired not-yet-valid other-name untrusted no-tls proxy other'.split(
    ' ',
  ) as ConnectProblem[]

const step: fc.Arbitrary<ConnectStep> = fc.oneof(
  fc.constant(passed),
  fc.constant<ConnectStep>({ kind: 'skipped' }),
  fc.record({
    kind: fc.constant('failed' as const),
    problem: fc.constantFrom(...connectProblems),
    detail: fc.string({ unit: 'binary' }),
  }),
)

const connection: fc.Arbitrary<Inspection> = fc.record({
  proxy: fc.constantFrom(null, 'proxy.example.org:3128'),
  addresses: fc.constantFrom([], ['203.0.113.20']),
  localAddress: fc.constantFrom(null, '10.0.0.5', '203.0.113.7', '127.0.0.1'),
  dns: step,
  tcp: step,
  tls: step,
  certificate: fc.option(
    fc.record({
      names: fc.string({ unit: 'binary' }),
      issuer: fc.string({ unit: 'binary' }),
      endsAt: fc.integer({ min: now - 1e11, max: now + 1e11 }),
    }),
  ),
})

function saidOr<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<QuestionOutcome<Value>> {
  return fc.oneof(
    { weight: 3, arbitrary: value.map(said) },
    fc.record({
      kind: fc.constant('status' as const),
      status: fc.integer({ min: 200, max: 599 }),
      text: fc.string({ unit: 'binary' }),
    }),
    fc.record({
      kind: fc.constant('fault' as const),
      fault: fc.constantFrom('timeout', 'reset', 'oversized', 'something new'),
      detail: fc.string({ unit: 'binary' }),
    }),
    fc.constantFrom<QuestionOutcome<Value>>({ kind: 'misshapen' }, { kind: 'not-asked' }),
  )
}

const time = fc.integer({ min: now - 1e11, max: now + 1e11 })

export const anyObservation: fc.Arbitrary<Observation> = fc.record({
  url: fc.constant('https://replaced.example.org'),
  blocked: fc.constantFrom(null, null, 'http is not allowed'),
  connection: fc.option(connection),
  version: saidOr(fc.string({ unit: 'binary' })),
  dso: saidOr(fc.constantFrom(dso, dso, 'DSO::1220ee')),
  synchronizer: saidOr(fc.oneof(fc.constant(synchronizer), fc.string({ unit: 'binary' }))),
  roster: fc.constant(null),
  progress: saidOr(fc.option(fc.record({ beginsAt: time, headAt: time, heardAt: time }))),
  snapshot: saidOr(fc.option(time)),
  complete: saidOr(fc.boolean()),
})

export const anyNetwork: fc.Arbitrary<Network> = fc.record({
  observations: fc.array(anyObservation, { minLength: 1, maxLength: 10 }),
  operators: fc.constantFrom({}, { one: ['sv-0', 'sv-1'], two: ['sv-2', 'sv-3'] }),
  egressAddresses: fc.constantFrom([], ['203.0.113.7']),
})
