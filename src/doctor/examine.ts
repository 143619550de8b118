import type { Clock } from '../base/lib/clock.ts'
import {
  type AmuletRules,
  type DsoScans,
  getAmuletRules,
  getDsoPartyId,
  listDsoScans,
} from '../core/reads/dso.ts'
import { type MigrationInfo, migrationInfoRequest, wholeHistory } from '../core/reads/holding.ts'
import { getMigrationId } from '../core/reads/rounds.ts'
import { scanTarget, type UrlPolicy } from '../core/scan/address-guard.ts'
import { activeSynchronizer, type Membership, membershipOf } from '../core/scan/membership.ts'
import { RequestGroup, type ScanNode } from '../core/scan/node.ts'
import type { Inspection, InspectionLimits } from './inspect-connection.ts'
import { type LedgerSpan, type Observation, type QuestionOutcome, unasked } from './observation.ts'
import { mapSaid, Questions } from './questions.ts'

export type ExaminedTarget = Extract<ReturnType<typeof scanTarget>, { kind: 'usable' }>

/** The doctor's access to scans, through the same connectors and the same client as the daemon. */
export interface ScanAccess {
  /** Connects once, observes each step (DNS, TCP, TLS), and closes the connection. */
  inspect(target: ExaminedTarget, limits: InspectionLimits): Promise<Inspection>
  /** Creates a client. The caller disposes it. */
  open(url: string): ScanNode
}

/**
 * Three steps of a connection and two requests run one after another for each scan. The doctor ends
 * later than these limits together.
 */
const longest = { dnsMs: 2_000, tcpMs: 3_000, tlsMs: 2_000, requestMs: 2_500 }

export interface ExaminationOptions extends UrlPolicy {
  readonly requestTimeoutMs: number
  readonly maxResponseBytes: number
}

export interface ExaminationDeps {
  readonly clock: Clock
  readonly access: ScanAccess
  readonly remainingMs: () => number
}

export interface ScanExamination {
  /**
   * The super validators that this scan names; null if it names none. Resolves before `observation`
   * does.
   */
  readonly roster: Promise<Membership | null>
  readonly observation: Promise<Observation>
}

/**
 * Tests the connection to one scan, and then asks that scan the doctor's questions. The promises in
 * the result never reject: if `access` throws, the observation has a failed connection.
 */
export function examine(url: string, options: ExaminationOptions, deps: ExaminationDeps): ScanExamination {
  const target = scanTarget(url, options)
  if (target.kind === 'blocked') {
    const observation = unasked(url, target.reason)
    return { roster: Promise.resolve(null), observation: Promise.resolve(observation) }
  }
  const roster = Promise.withResolvers<Membership | null>()
  const observation = observe(target, options, deps, roster.resolve).catch((error: unknown) => {
    roster.resolve(null)
    return { ...unasked(url, null), connection: notConnected(error) }
  })
  return { roster: roster.promise, observation }
}

function notConnected(error: unknown): Inspection {
  const skipped = { kind: 'skipped' } as const
  return {
    proxy: null,
    addresses: [],
    localAddress: null,
    dns: skipped,
    tcp: { kind: 'failed', problem: 'other', detail: error instanceof Error ? error.message : String(error) },
    tls: skipped,
    certificate: null,
  }
}

async function observe(
  target: ExaminedTarget,
  options: ExaminationOptions,
  deps: ExaminationDeps,
  tellRoster: (membership: Membership | null) => void,
): Promise<Observation> {
  const within = (ms: number) => Math.max(1, Math.min(ms, deps.remainingMs()))
  // Each limit is a getter, so that it is computed when its step begins: earlier steps have used up
  // some of the time.
  const limits: InspectionLimits = {
    get dnsMs() {
      return within(longest.dnsMs)
    },
    get tcpMs() {
      return within(longest.tcpMs)
    },
    get tlsMs() {
      return within(longest.tlsMs)
    },
  }
  const connection = await deps.access.inspect(target, limits)
  const seen = { ...unasked(target.url, null), connection }
  if ([connection.dns, connection.tcp, connection.tls].some(({ kind }) => kind === 'failed')) {
    tellRoster(null)
    return seen
  }
  await using node = deps.access.open(target.url)
  const group = new RequestGroup(new AbortController().signal, deps.clock)
  const { requestTimeoutMs, maxResponseBytes } = options
  const questions = new Questions(node, group, () => ({
    requestTimeoutMs: within(Math.min(longest.requestMs, requestTimeoutMs)),
    maxResponseBytes,
  }))
  return { ...seen, ...(await askAll(questions, deps.clock, tellRoster)) }
}

type ScanAnswers = Omit<Observation, 'url' | 'blocked' | 'connection'>

async function askAll(
  questions: Questions,
  clock: Clock,
  tellRoster: (membership: Membership | null) => void,
): Promise<ScanAnswers> {
  const migration = questions.read<{ migration_id: number }>(getMigrationId)
  const aboutNode = [
    questions.version(),
    questions.holding<{ complete: boolean }>(wholeHistory.of({})),
  ] as const
  const [named, rules, scans] = await Promise.all([
    questions.read<{ dso_party_id: string }>(getDsoPartyId),
    questions.read<AmuletRules>(getAmuletRules),
    questions.read<DsoScans>(listDsoScans),
  ])
  const dso = mapSaid(named, ({ dso_party_id }) => dso_party_id)
  const combined =
    named.kind === 'said' && rules.kind === 'said' && scans.kind === 'said'
      ? membershipOf([named.value, rules.value, scans.value])
      : null
  const roster = typeof combined === 'string' ? null : combined
  tellRoster(roster)
  const [version, complete] = await Promise.all(aboutNode)
  const migrationId = mapSaid(await migration, ({ migration_id }) => migration_id)
  const [progress, snapshot] = await askProgress(questions, migrationId, clock)
  return {
    version,
    dso,
    synchronizer: mapSaid(rules, activeSynchronizer),
    roster,
    progress,
    snapshot,
    complete: mapSaid(complete, (said) => said.complete),
  }
}

async function askProgress(
  questions: Questions,
  migration: QuestionOutcome<number>,
  clock: Clock,
): Promise<readonly [QuestionOutcome<LedgerSpan | null>, QuestionOutcome<number | null>]> {
  if (migration.kind !== 'said') return [migration, migration]
  const info = questions.holding<MigrationInfo>(migrationInfoRequest(migration.value))
  const snapshot = questions.latestSnapshot(clock.wall(), migration.value)
  const said = await info
  const heardAt = clock.wall()
  const progress = mapSaid(said, ({ record_time_range: ranges }): LedgerSpan | null =>
    ranges.length === 0
      ? null
      : {
          beginsAt: Math.min(...ranges.map(({ min }) => Date.parse(min))),
          headAt: Math.max(...ranges.map(({ max }) => Date.parse(max))),
          heardAt,
        },
  )
  return [progress, await snapshot]
}
