import { setImmediate } from 'node:timers/promises'
import { seededRandom } from '../../src/base/lib/random.ts'
import { Connections } from '../../src/core/scan/connections.ts'
import { Budgets } from '../../src/core/scan/in-flight-budget.ts'
import { JudgeThread } from '../../src/core/scan/judge-thread.ts'
import type { RequestGroup, ScanRequest } from '../../src/core/scan/node.ts'
import { Roster, type Trust } from '../../src/core/scan/roster.ts'
import type { DrainOutcome } from '../../src/mirror/drain-outcome.ts'
import { type DrainOptions, drainByQuorum } from '../../src/mirror/quorum-drain.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { silentEvents } from '../telemetry/silent-events.ts'
import { dso } from './contracts.ts'
import { at, migrationId, type SnapshotScan } from './snapshot-scan.ts'

export interface NetworkOptions {
  readonly seed?: number
  readonly drain?: Partial<DrainOptions>
  readonly trust?: Partial<Trust>
  readonly clock?: ManualClock
  readonly asking?: (index: number) => void
  /** Whether the scan with this index leaves a request for a page unanswered until the request is aborted. */
  readonly stuck?: (index: number, request: ScanRequest) => boolean
  /** Whether the scan with this index answers 429 and asks for a pause of ten minutes. */
  readonly limited?: (index: number) => boolean
  readonly roster?: () => Roster | undefined
  readonly signal?: AbortSignal
}

/** All drains share one thread: a thread for each drain would stay until the process ends. */
const judgeClock = new ManualClock()
const judge = new JudgeThread({ clock: judgeClock })

/** The clock of the drain stands still while the thread judges a page, which takes real time. */
export async function untilDeadline(
  clock: ManualClock,
  draining: Promise<DrainOutcome>,
): Promise<DrainOutcome> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  draining.then(over, over)
  while (!isOver) {
    // The thread has a timer on its clock exactly while it judges.
    if (judgeClock.waiting === 0) clock.advance(1_000)
    await setImmediate()
  }
  return draining
}

export function svName(index: number): string {
  return `sv-${String(index).padStart(2, '0')}`
}

export function rosterOf(n: number, trust: Partial<Trust> = {}): Roster {
  const members = Array.from({ length: n }, (_, index) => ({
    name: svName(index),
    urls: [`https://${svName(index)}.example`],
  }))
  const set = { dso, synchronizer: 'global', members }
  return new Roster(set, {
    scanType: 'bft',
    svNames: [],
    threshold: 'f+1',
    thresholds: {},
    operators: {},
    ...trust,
  })
}

export async function drainFrom(
  scans: readonly SnapshotScan[],
  options: NetworkOptions = {},
): Promise<DrainOutcome> {
  const usual = rosterOf(scans.length, options.trust)
  const {
    seed = 1,
    drain = {},
    clock = new ManualClock(at + 120_000),
    asking = () => {},
    stuck = () => false,
    limited = () => false,
  } = options
  const { roster = () => usual, signal = new AbortController().signal } = options
  const connections = new Connections(
    { probeIntervalMs: 1e9, requestTimeoutMs: 5_000 },
    {
      clock,
      budgets: new Budgets({ maxInFlight: 512, maxBufferedBytes: 1 << 28 }),
      events: silentEvents,
      connect: (url, _budget, rateLimit) => {
        const index = usual.voters.findIndex(({ place }) => place?.url === url)
        const node = (scans[index] as SnapshotScan).node(url)
        return {
          ...node,
          ask: (request, group) => {
            asking(index)
            if (stuck(index, request)) return neverAnswered(group)
            if (!limited(index)) return node.ask(request, group)
            rateLimit.answered(429, '600')
            return Promise.resolve({
              kind: 'response',
              status: 429,
              body: Buffer.from('{}'),
              release: () => {},
            })
          },
        }
      },
    },
  )
  const drainOptions: DrainOptions = {
    fanout: 'economical',
    maxEntries: 64,
    requestTimeoutMs: 5_000,
    maxPageBytes: 1 << 23,
    deadlineMs: 600_000,
    pageSize: 5,
    ...drain,
  }
  const deps = { clock, random: seededRandom(seed), connections, judge, roster }
  return drainByQuorum({ at, migrationId }, drainOptions, deps, signal)
}

function neverAnswered(group: RequestGroup): Promise<never> {
  return new Promise((_, abort) => group.add({ abort, expire: () => {} }, 600_000))
}
