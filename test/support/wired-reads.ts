import type { Answer } from '../../src/cache/answer.ts'
import type { Answers } from '../../src/cache/answers.ts'
import type { Load } from '../../src/cache/load.ts'
import { seededRandom } from '../../src/lib/random.ts'
import type { Fanout } from '../../src/quorum/plan.ts'
import type { ThresholdRule } from '../../src/quorum/threshold.ts'
import { readIds } from '../../src/reads/endpoints.ts'
import type { Params, Read } from '../../src/reads/read.ts'
import { Connections } from '../../src/scan/connections.ts'
import { EvidenceLog } from '../../src/scan/evidence-log.ts'
import { Examiner } from '../../src/scan/examiner.ts'
import { Budgets } from '../../src/scan/in-flight-budget.ts'
import { Inquiry, type InquiryOptions } from '../../src/scan/inquiry.ts'
import { JudgeThread } from '../../src/scan/judge-thread.ts'
import type { ScanRequest, ScanResponse } from '../../src/scan/node.ts'
import { PageTokens } from '../../src/scan/page-tokens.ts'
import { Reader } from '../../src/scan/reader.ts'
import { Rechecks } from '../../src/scan/rechecks.ts'
import type { RollbackDeps } from '../../src/scan/rollback-check.ts'
import { Roster } from '../../src/scan/roster.ts'
import { Witness } from '../../src/scan/witness.ts'
import { ManualClock } from './manual-clock.ts'

const pastAllCaches = {
  get: (_: string, load: Load) => load(new AbortController(), 'answer'),
} as unknown as Answers
const noTime = { freshMs: 0, staleMs: 0 }
const times = Object.fromEntries(readIds.map((id) => [id, { value: noTime, absence: noTime }]))

export interface WiredOptions {
  readonly names: readonly string[]
  /** Maps the name of a super validator to the name of another, so that both publish the same URL. */
  readonly sameOrigin?: Readonly<Record<string, string>>
  readonly rule: ThresholdRule
  readonly fanout: Fanout
  readonly seed: number
  readonly auditShare?: number
  readonly rollback?: (clock: ManualClock) => Pick<RollbackDeps, 'guard' | 'heldUp'>
  readonly ask: (name: string, request: ScanRequest) => Promise<ScanResponse>
}

/** The read path from the plan of a fan-out to the rechecks of dissenters, without sockets and without a cache. */
export interface WiredReads {
  readonly clock: ManualClock
  readonly evidence: EvidenceLog
  readonly witness: Witness
  readonly judge: JudgeThread
  readonly reader: Reader
  readonly examiner: Examiner
  answer(read: Read, params: Params): Promise<Answer>
  inquiry(read: Read, params: Params, options?: Pick<InquiryOptions, 'strict'>): Inquiry
}

export function wireReads({
  names,
  sameOrigin = {},
  rule,
  fanout,
  seed,
  auditShare = 0,
  rollback,
  ask,
}: WiredOptions): WiredReads {
  const clock = new ManualClock()
  const evidence = new EvidenceLog({ maxBytes: 1 << 24 })
  const roster = new Roster(
    {
      dso: 'DSO::1220aa',
      synchronizer: 'global',
      members: names.map((name) => ({ name, urls: [`https://${sameOrigin[name] ?? name}.example`] })),
    },
    { mode: 'bft', threshold: rule, thresholds: {}, operators: {} },
  )
  const options: InquiryOptions = {
    fanout,
    requestTimeoutMs: 5_000,
    deadlineMs: 15_000,
    auditShare,
    maxResponseBytes: 1 << 25,
    absentTexts: {},
  }
  const connections = new Connections(
    { probeIntervalMs: 1e9, requestTimeoutMs: 5_000, rateLimit: {} },
    {
      clock,
      budgets: new Budgets({ maxInFlight: 512, maxBufferedBytes: 1 << 28 }),
      probed: () => {},
      connect: (url) => ({
        url,
        ask: (request) => ask(new URL(url).host.replace('.example', ''), request),
        isConnected: true,
        warm: () => {},
        [Symbol.asyncDispose]: async () => {},
      }),
    },
  )
  const events = { heard: () => {}, unknownRefusal: () => {} }
  const deps = {
    clock,
    random: seededRandom(seed),
    connections,
    events,
    judge: new JudgeThread({ clock }),
    pages: new PageTokens(),
  }
  const rechecks: Rechecks = new Rechecks(options, {
    ...deps,
    pending: () => {},
    agreedNow: (question, signal) => reader.agreedNow(question, signal),
    amongAll: (dissent, signal) => reader.amongAll(dissent, signal),
  })
  const witness = new Witness({ clock, evidence, rechecks, voted: () => {}, dissentResolved: () => {} })
  const discovery = { roster } as never
  const reader = new Reader(
    { inquiry: options, times },
    {
      ...deps,
      discovery,
      answers: pastAllCaches,
      witness,
      settled: () => {},
      ...(rollback && { rollback: rollback(clock) }),
      overloaded: () => {},
    },
  )
  return {
    clock,
    evidence,
    witness,
    judge: deps.judge,
    reader,
    examiner: new Examiner(options, { ...deps, discovery, witness, settled: () => {} }),
    answer: async (read, params) => (await reader.answer({ read, params })).answer,
    inquiry: (read, params, { strict = false } = {}) =>
      new Inquiry({ read, params }, roster, { ...options, strict }, deps),
  }
}
