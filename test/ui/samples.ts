import type { TrafficMinute } from '../../src/base/telemetry/traffic.ts'
import type { Case } from '../../src/core/scan/evidence-log.ts'
import type { Examination, Stand, VoteEvent } from '../../src/doctor/examiner.ts'
import type { Finding, PageModel, ShownDoctor, ShownMember } from '../../src/server/ui/model.ts'
import type { Html } from '../../src/server/ui/views/text.ts'

const votes = { agree: 9, dissent: 1, unchecked: 0, lag: 0, ahead: 0, split: 0, abstain: 0, fault: 0 }

export function member(name: string, given: Partial<ShownMember> = {}): ShownMember {
  return {
    names: [name],
    operator: name,
    host: `scan.${name}.example`,
    reachable: true,
    standing: { place: 1, expectedMs: 40, lateMs: 60 },
    release: undefined,
    hour: { votes, minutes: [votes], answered: 10, meanSeconds: 0.05, slowestSeconds: 0.2 },
    ...given,
  }
}

function minute(given: Partial<TrafficMinute> = {}): TrafficMinute {
  return {
    seconds: 60,
    answered: 0,
    absent: 0,
    refused: 0,
    failed: 0,
    hits: 0,
    p50: undefined,
    p95: undefined,
    ...given,
  }
}

export function stand(name: string, given: Partial<Stand> = {}): Stand {
  return { names: [name], operator: name, stance: 'agreed', ...given }
}

export function examination(entry: Record<string, unknown>, given: Partial<Examination> = {}): Examination {
  const ordinary = {
    name: 'alice.unverified.cns',
    user: 'alice::12ab',
    url: '',
    description: '',
    contract_id: '00ab',
    expires_at: null,
  }
  const body = Buffer.from(JSON.stringify({ entry: { ...ordinary, ...entry } }))
  const agreement = { agreed: ['sv-1'], threshold: 2, asked: 4, voters: 4, complete: true, protected: true }
  return {
    outcome: 'agreed',
    rule: 'enough super validators gave the same value',
    seconds: 0.012,
    answer: { kind: 'value', status: 200, body, digest: '', agreement },
    electorate: { superValidators: { n: 4, f: 1, threshold: 2 } },
    error: undefined,
    protected: true,
    stands: ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => stand(name)),
    disagreement: undefined,
    ...given,
  }
}

export type Examined = Extract<Finding, { kind: 'examined' }>

export function examined(given: Partial<Examined> = {}): Examined {
  return { kind: 'examined', askedAt: 0, examination: examination({}), course: [], history: [], ...given }
}

export function disagreement(given: Partial<Case> = {}): Case {
  return {
    at: '2026-01-01T12:00:00.000Z',
    read: 'lookupAnsEntryByName',
    params: 'abcdefgh-ijk',
    outcome: 'agreed',
    rule: 'enough super validators gave the same value',
    agreed: 'true',
    statements: [
      { kind: 'value', digest: 'false', body: '{"user":"mallory::1"}', who: ['sv-10', 'sv-3'] },
      { kind: 'value', digest: 'true', body: '{"user":"alice::1"}', who: ['sv-1', 'sv-2'] },
    ],
    silent: [],
    dissent: { 'sv-3': 'pending' },
    ...given,
  }
}

export function model(given: Partial<PageModel> = {}): PageModel {
  return {
    version: '1.2.3',
    place: { page: 'lookup' },
    publicPort: 8080,
    url: undefined,
    network: 'mainnet',
    networkMs: Date.parse('2026-01-01T12:00:00.000Z'),
    machineMs: Date.parse('2026-01-01T12:00:00.000Z'),
    question: { by: 'name', text: '', ask: 'all', strict: false },
    finding: undefined,
    newest: [],
    tourStepsDone: undefined,
    refused: undefined,
    changed: undefined,
    registration: undefined,
    faultKinds: undefined,
    canMoveClock: false,
    receiptKeys: { known: [], areKept: true },
    roster: {
      dso: 'DSO::1220b1431ef217342db44d516bb9befde802be7d8899637d290895fa58880f19accc',
      superValidators: { n: 4, f: 1, threshold: 2 },
      operators: undefined,
      isProtected: true,
      members: ['sv-1', 'sv-2', 'sv-3', 'sv-4'].map((name) => member(name)),
    },
    waitingFor: undefined,
    seeds: [],
    traffic: [minute()],
    agreedAt: undefined,
    disagreements: [],
    nodes: undefined,
    doctor: undefined,
    ...given,
  }
}

export function shownDoctor(given: Partial<ShownDoctor>): ShownDoctor {
  return { running: undefined, report: undefined, failure: undefined, ...given }
}

/**
 * At 0 ms all super validators are asked, and then two of them reply, a millisecond apart. The second reply decides.
 */
export function course(names: readonly string[]): readonly VoteEvent[] {
  return [
    ...names.map((_, voter): VoteEvent => ({ kind: 'asked', ms: 0, voter, reason: 'first' })),
    ...names
      .slice(0, 2)
      .map((_, voter): VoteEvent => ({ kind: 'heard', ms: voter + 1, voter, outcome: 'value', group: 0 })),
    { kind: 'settled', ms: 2, outcome: 'agreed' },
  ]
}

export function textOf(html: Html): string {
  return html
    .toString()
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
}
