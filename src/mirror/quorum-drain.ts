import type { Config } from '../base/config/resolve.ts'
import type { Electorate } from '../core/quorum/electorate.ts'
import { type FanoutMode, Plan } from '../core/quorum/plan.ts'
import type { Reply } from '../core/quorum/reply.ts'
import { meetThreshold } from '../core/quorum/tally.ts'
import type { Verdict } from '../core/quorum/verdict.ts'
import { whyPathUnknown } from '../core/reads/releases.ts'
import { lacksPath } from '../core/reads/replies.ts'
import { acsForms, getAcsSnapshotAtV1 } from '../core/reads/snapshots.ts'
import { agreementOf } from '../core/scan/agreed-answer.ts'
import type { Connection } from '../core/scan/connections.ts'
import type { Case } from '../core/scan/evidence-log.ts'
import type { Roster } from '../core/scan/roster.ts'
import { type Hearing, runPlan } from '../core/scan/run-plan.ts'
import type { AgreedSet } from './agreed-set.ts'
import type { DrainOutcome } from './drain-outcome.ts'
import { type DrainReport, evidenceOf, type QuorumDrainResult, reportOf } from './drain-report.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import { mirrorElectorate } from './mirror-electorate.ts'
import { mirroredTemplates } from './mirrored-contracts.ts'
import {
  drainScan,
  paramsOf,
  type ScanDrain,
  type ScanDrainDeps,
  type ScanDrainOptions,
} from './scan-drain.ts'
import type { SnapshotAsked, SnapshotRow } from './snapshot-page.ts'
import { entriesIn, membersOf } from './snapshot-set.ts'

export interface WantedSnapshot {
  readonly at: number
  readonly migrationId: number
}

export interface DrainOptions {
  readonly fanout: FanoutMode
  /**
   * If true, the drain waits for all scans, so that the report covers each of them.
   */
  readonly patient?: boolean
  readonly maxEntries: number
  readonly requestTimeoutMs: number
  readonly maxPageBytes: number
  readonly deadlineMs: number
  readonly pageSize?: number
}

export interface DrainDeps extends Pick<UpkeepDeps, 'clock' | 'random' | 'connections' | 'judge'> {
  readonly roster: () => Roster | undefined
}

/** The largest number of bytes of a page of 1,000 contracts. The limits of the ledger permit about 3 KB each. */
const maxPageBytes = 4_194_304
const pageTimeoutMs = 60_000

export function drainOptions({
  mirror: { maxEntries },
  scanClient,
}: Pick<Config, 'mirror' | 'scanClient'>): Omit<DrainOptions, 'deadlineMs'> {
  return {
    fanout: scanClient.fanout,
    maxEntries,
    requestTimeoutMs: Math.max(pageTimeoutMs, scanClient.requestTimeoutMs),
    maxPageBytes: Math.min(maxPageBytes, scanClient.maxResponseBytes),
  }
}

const pageSize = 1_000
/** The least time to read a snapshot again for its rows. */
const againMs = 120_000
/** By how many bytes the rows of one set may differ from one reading to the next. */
const otherPagesBytes = 65_536

/**
 * Drains a snapshot: reads it page by page from several scans. Each scan votes for the whole set of
 * contracts that it gave.
 * The promise rejects only when the signal aborts.
 */
export async function drainByQuorum(
  wanted: WantedSnapshot,
  options: DrainOptions,
  deps: DrainDeps,
  signal: AbortSignal,
): Promise<DrainOutcome> {
  signal.throwIfAborted()
  const roster = deps.roster()
  if (roster === undefined) return { kind: 'unreachable', why: 'there is no roster yet', report: undefined }
  return new Draining(wanted, roster, options, deps).run(signal)
}

type ReadingOptions = Pick<ScanDrainOptions, 'deadline' | 'mostKept'> &
  Pick<ScanDrainDeps, 'late' | 'paused' | 'signal'>

class Draining {
  readonly #roster: Roster
  readonly #options: DrainOptions
  readonly #deps: DrainDeps
  readonly #asked: SnapshotAsked
  readonly #electorate: Electorate
  readonly #plan: Plan
  readonly #started: number
  readonly #drains: (ScanDrain | undefined)[] = []
  readonly #begun = new Set<number>()

  constructor({ at, migrationId }: WantedSnapshot, roster: Roster, options: DrainOptions, deps: DrainDeps) {
    this.#roster = roster
    this.#options = options
    this.#deps = deps
    const { dso } = roster.membership
    this.#asked = {
      at,
      migrationId,
      dso,
      templates: mirroredTemplates,
      pageSize: options.pageSize ?? pageSize,
    }
    this.#started = deps.clock.now()
    this.#electorate = mirrorElectorate(roster)
    this.#plan = this.#planned()
  }

  async run(signal: AbortSignal): Promise<DrainOutcome> {
    const verdict = await this.#decide(signal)
    const drained: QuorumDrainResult = {
      at: this.#asked.at,
      roster: this.#roster,
      electorate: this.#electorate,
      verdict,
      drains: this.#roster.voters.map((_, voter) => this.#drains[voter]),
      begun: this.#begun,
    }
    const rows =
      verdict.kind === 'agreed' && verdict.on === 'value' ? await this.#rowsOf(verdict.vote, signal) : []
    if (this.#deps.roster()?.trustDigest !== this.#roster.trustDigest) return { kind: 'roster-changed' }
    return this.#outcomeOf(drained, rows)
  }

  #planned(): Plan {
    const { connections, random } = this.#deps
    const { fanout, patient = false } = this.#options
    const electorate = this.#electorate
    const { aside, selection } = connections.ofRoster(this.#roster)
    const holding = getAcsSnapshotAtV1.holders?.of(paramsOf(this.#asked))
    const wanted = { kind: getAcsSnapshotAtV1.id, ingress: 'scan', holding } as const
    const { order } = selection.choose(electorate, wanted, random)
    // One silent scan would delay the set, so one more scan than needed is drained.
    return new Plan(electorate, { agree: 'whole', patient }, { fanout, aside, order, spare: true })
  }

  async #decide(signal: AbortSignal): Promise<Verdict> {
    const { deadlineMs } = this.#options
    const decided = new AbortController()
    const either = AbortSignal.any([signal, decided.signal])
    try {
      signal.throwIfAborted()
      return await runPlan(
        this.#plan,
        {
          ask: (voter, hearing) =>
            void this.#drain(voter, hearing, either).then(
              (reply) => hearing.heard(voter, reply),
              (why) => hearing.failed(why),
            ),
        },
        deadlineMs,
        this.#deps.clock,
      )
    } finally {
      decided.abort()
    }
  }

  async #drain(voter: number, hearing: Hearing, signal: AbortSignal): Promise<Reply> {
    const connection = this.#deps.connections.ofRoster(this.#roster).connections[voter]
    if (connection === undefined) return { kind: 'fault', fault: 'unreachable' }
    this.#begun.add(voter)
    const drain = await this.#drainOf(connection, {
      mostKept: 0,
      deadline: this.#started + this.#options.deadlineMs,
      late: () => hearing.late(voter),
      paused: () => hearing.paused(voter),
      signal,
    })
    this.#drains[voter] = drain
    return drain.reply
  }

  #drainOf(connection: Connection, { deadline, mostKept, ...deps }: ReadingOptions): Promise<ScanDrain> {
    const { clock, judge } = this.#deps
    const options = { ...this.#options, asked: this.#asked, deadline, mostKept }
    return drainScan(connection, options, { clock, judge, ...deps })
  }

  /**
   * Reads the agreed set again for its rows, from one of the scans that gave it after another. While a
   * scan is late, the next one is read as well. Returns undefined if no scan gives the rows.
   */
  async #rowsOf(vote: string, signal: AbortSignal): Promise<readonly SnapshotRow[] | undefined> {
    const decided = new AbortController()
    const either = AbortSignal.any([signal, decided.signal])
    const deadline = Math.max(this.#started + this.#options.deadlineMs, this.#deps.clock.now() + againMs)
    const { promise, resolve, reject } = Promise.withResolvers<readonly SnapshotRow[] | undefined>()
    const left = this.#drains.entries()
    let reading = 0
    const next = () => {
      const { value: [voter, drain] = [] } = left.next()
      if (voter === undefined) return reading === 0 ? resolve(undefined) : undefined
      if (drain?.set === undefined || drain.reply.kind !== 'value' || drain.reply.vote !== vote) return next()
      reading++
      const mostKept = drain.set.bytes + otherPagesBytes
      const again = { mostKept, deadline, signal: either, late: next, paused: next }
      this.#readAgain(voter, vote, again).then((rows) => {
        reading--
        if (rows === undefined) next()
        else resolve(rows)
      }, reject)
    }
    next()
    return promise.finally(() => decided.abort())
  }

  /** Returns undefined if the scan does not give the same set again. */
  async #readAgain(
    voter: number,
    vote: string,
    again: ReadingOptions,
  ): Promise<readonly SnapshotRow[] | undefined> {
    const connection = this.#deps.connections.ofRoster(this.#roster).connections[voter]
    if (connection === undefined) return undefined
    const { reply, set } = await this.#drainOf(connection, again)
    return reply.kind === 'value' && reply.vote === vote ? set?.rows() : undefined
  }

  #outcomeOf(drained: QuorumDrainResult, rows: readonly SnapshotRow[] | undefined): DrainOutcome {
    const { verdict } = drained
    const report = reportOf(drained, this.#started, this.#deps.clock)
    switch (verdict.kind) {
      case 'agreed':
        if (verdict.on !== 'value') return { kind: 'too-many-entries', report }
        if (rows === undefined)
          return { kind: 'unreachable', why: 'no scan gives the agreed snapshot again', report }
        return {
          kind: 'agreed',
          set: this.#agreedSet(rows, verdict),
          report,
          evidence: report.dissenters.length > 0 ? this.#evidence(drained) : undefined,
        }
      case 'disputed':
        return { kind: 'disputed', report, evidence: this.#evidence(drained) }
      case 'undecided':
        return this.#pathProblem(report) ?? { kind: 'not-yet', report }
      case 'unreachable':
        return this.#pathProblem(report) ?? { kind: 'unreachable', why: verdict.rule, report }
    }
  }

  /** Tells whether a quorum failed only because of scans that know no form of the snapshot. */
  #pathProblem(report: DrainReport): DrainOutcome | undefined {
    const replied = this.#plan.heard.flatMap((reply, voter) =>
      reply === undefined || reply.kind === 'fault' ? [] : [{ reply, voter }],
    )
    const lacks = ({ reply }: { readonly reply: Reply }) =>
      reply.kind === 'abstention' && lacksPath(reply.reason)
    const lacking = replied.filter(lacks).map(({ voter }) => voter)
    const others = replied.filter((each) => !lacks(each)).map(({ voter }) => voter)
    if (meetThreshold(this.#electorate, others) || !meetThreshold(this.#electorate, others, lacking))
      return undefined
    const { connections } = this.#deps.connections.ofRoster(this.#roster)
    const because = whyPathUnknown(
      acsForms.paths[0],
      lacking.map((voter) => connections[voter]?.release),
    )
    const of = `${lacking.length} of ${this.#electorate.superValidators.n} scans`
    const why = `${of} do not know how to give a snapshot in a form that this daemon knows; ${because}.`
    return { kind: 'path-unknown', why, report }
  }

  #evidence(drained: QuorumDrainResult): Case {
    return evidenceOf(drained, this.#asked, this.#deps.clock.wall())
  }

  #agreedSet(
    rows: readonly SnapshotRow[],
    verdict: Extract<Verdict, { kind: 'agreed'; on: 'value' | 'refusal' }>,
  ): AgreedSet {
    const inquired = {
      roster: this.#roster,
      electorate: this.#electorate,
      asked: this.#plan.asked,
    }
    const { at, migrationId, dso } = this.#asked
    return {
      at,
      migrationId,
      digest: verdict.vote,
      entries: entriesIn(rows),
      members: membersOf(rows),
      agreement: agreementOf(inquired, verdict),
      trustDigest: this.#roster.trustDigest,
      dso,
    }
  }
}
