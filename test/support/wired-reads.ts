import { seededRandom } from '../../src/base/lib/random.ts'
import type { ThresholdRule } from '../../src/base/lib/threshold.ts'
import type { Events } from '../../src/base/telemetry/events.ts'
import type { Answer } from '../../src/core/cache/answer.ts'
import type { Answers, Load } from '../../src/core/cache/answers.ts'
import { InvalidationLog } from '../../src/core/cache/invalidation-log.ts'
import type { RollbackGuard } from '../../src/core/guard/rollback-guard.ts'
import type { FanoutMode } from '../../src/core/quorum/plan.ts'
import { readIds } from '../../src/core/reads/endpoints.ts'
import type { Params, Read } from '../../src/core/reads/read.ts'
import { Connections } from '../../src/core/scan/connections.ts'
import { Witness } from '../../src/core/scan/disagreement.ts'
import { EvidenceLog } from '../../src/core/scan/evidence-log.ts'
import { Budgets } from '../../src/core/scan/in-flight-budget.ts'
import { type HowToAsk, Inquiries, type Inquiry, type InquiryOptions } from '../../src/core/scan/inquiry.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { ScanRequest, ScanResponse } from '../../src/core/scan/node.ts'
import { PageTokens } from '../../src/core/scan/page-tokens.ts'
import { Reader } from '../../src/core/scan/reader.ts'
import { AskingAgain, Rechecks } from '../../src/core/scan/rechecks.ts'
import { Roster } from '../../src/core/scan/roster.ts'
import { Examiner } from '../../src/doctor/examiner.ts'
import { silentEvents } from '../telemetry/silent-events.ts'
import { ManualClock } from './manual-clock.ts'

const pastAllCaches = {
  get: (_: string, load: Load) => load(new AbortController().signal, 'answer'),
} as unknown as Answers
const noTime = { freshMs: 0, staleMs: 0 }
const times = Object.fromEntries(readIds.map((id) => [id, { value: noTime, absence: noTime }]))

export interface WiredOptions {
  readonly names: readonly string[]
  /** Maps the name of a super validator to the name of another, so that both publish the same URL. */
  readonly sameOrigin?: Readonly<Record<string, string>>
  readonly rule: ThresholdRule
  readonly fanout: FanoutMode
  readonly seed: number
  readonly auditShare?: number
  readonly guard?: (clock: ManualClock) => RollbackGuard
  readonly events?: Partial<Events>
  readonly ask: (name: string, request: ScanRequest) => Promise<ScanResponse>
}

/** The read path from the plan of a fan-out to the rechecks of dissenters, without sockets and without a cache. */
export interface WiredReads {
  readonly clock: ManualClock
  readonly evidence: EvidenceLog
  readonly witness: Witness
  readonly judge: JudgeThread
  readonly again: AskingAgain
  readonly reader: Reader
  readonly examiner: Examiner
  answer(read: Read, params: Params): Promise<Answer>
  ask(read: Read, params: Params, how?: HowToAsk): Inquiry
}

export function wireReads({
  names,
  sameOrigin = {},
  rule,
  fanout,
  seed,
  auditShare = 0,
  guard,
  events = {},
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
    { scanType: 'bft', svNames: [], threshold: rule, thresholds: {}, operators: {} },
  )
  const options: InquiryOptions = {
    fanout,
    requestTimeoutMs: 5_000,
    deadlineMs: 15_000,
    auditShare,
    keepsProvenance: true,
    maxResponseBytes: 1 << 25,
    absentTexts: {},
  }
  const connections = new Connections(
    { probeIntervalMs: 1e9, requestTimeoutMs: 5_000 },
    {
      clock,
      budgets: new Budgets({ maxInFlight: 512, maxBufferedBytes: 1 << 28 }),
      events: silentEvents,
      connect: (url) => ({
        url,
        ask: (request) => ask(new URL(url).host.replace('.example', ''), request),
        isConnected: true,
        warm: () => {},
        [Symbol.asyncDispose]: async () => {},
      }),
    },
  )
  const deps = {
    clock,
    random: seededRandom(seed),
    connections,
    events: { ...silentEvents, ...events },
    discovery: { roster } as never,
    judge: new JudgeThread({ clock }),
    pages: new PageTokens(),
  }
  const again = new AskingAgain({ ...deps, inquiries: new Inquiries(options, deps) })
  const rechecks = new Rechecks(options, { ...deps, again })
  const witness = new Witness({ ...deps, evidence, rechecks })
  const inquiries = new Inquiries(options, { ...deps, witness })
  const reader = new Reader(
    { times },
    {
      ...deps,
      inquiries,
      answers: pastAllCaches,
      invalidations: new InvalidationLog(clock),
      witness,
      guard: guard?.(clock),
    },
  )
  return {
    clock,
    evidence,
    witness,
    judge: deps.judge,
    again,
    reader,
    examiner: new Examiner({ ...deps, inquiries }),
    answer: async (read, params) => (await reader.answer({ read, params })).answer,
    ask: (read, params, how) => inquiries.ask({ read, params }, roster, new AbortController().signal, how),
  }
}
