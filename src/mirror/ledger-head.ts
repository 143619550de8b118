import type { Electorate, Group } from '../core/quorum/electorate.ts'
import { operatorsOf } from '../core/quorum/tally.ts'
import {
  endOfTime,
  type MigrationInfo,
  migrationInfo,
  migrationInfoQuestion,
  recordTime,
  snapshotQuestion,
} from '../core/reads/holding.ts'
import type { TypeOf } from '../core/reads/pattern.ts'
import type { Holding } from '../core/reads/read.ts'
import { readingOf } from '../core/reads/reading.ts'
import type { Connection, Connections } from '../core/scan/connections.ts'
import { tryParse } from '../core/scan/judgement.ts'
import type { Roster } from '../core/scan/roster.ts'

export interface HeadDeps {
  readonly connections: Pick<Connections, 'ofRoster'>
  readonly requestTimeoutMs: number
}

const maxBytes = 65_536
/**
 * The largest number of JSON values in a reply, which may list ranges of record time. This limit is
 * enough for several hundred ranges.
 */
const maxElements = 4_096

interface HeadQuestion extends Pick<Holding, 'method' | 'path' | 'body' | 'reply'> {
  /** Returns the latest record time of the scan, in milliseconds since 1970; undefined if it has none. */
  readonly headIn: (said: unknown) => number | undefined
}

/**
 * The questions for the latest record time of a scan, best first: a release may lack some of these
 * paths. The time of a snapshot is up to three hours behind.
 */
function headQuestions(migrationId: number): readonly HeadQuestion[] {
  const timeIn = (said: unknown) => Date.parse((said as TypeOf<typeof recordTime>).record_time)
  const lastSnapshot = snapshotQuestion('snapshot-timestamp', `before=${endOfTime}`, migrationId)
  return [
    {
      ...migrationInfoQuestion(migrationId),
      reply: migrationInfo,
      headIn: (said) => {
        const ends = (said as MigrationInfo).record_time_range.map(({ max }) => Date.parse(max))
        return ends.length === 0 ? undefined : Math.max(...ends)
      },
    },
    { method: 'GET', path: '/v0/events/latest-record-time', reply: recordTime, headIn: timeIn },
    { ...lastSnapshot, reply: recordTime, headIn: timeIn },
  ]
}

/** Learns from scans how far the ledger has come. */
export class LedgerHead {
  readonly #deps: HeadDeps
  /** The index in `headQuestions` of the first question that a scan answered. */
  readonly #known = new WeakMap<Connection, number>()

  constructor(deps: HeadDeps) {
    this.#deps = deps
  }

  /**
   * Returns a time that the ledger has surely reached, in milliseconds since 1970; undefined if too
   * few scans reply. A scan whose rate limit allows no request is not asked. The promise rejects
   * only when the signal aborts.
   */
  async agreed(migrationId: number, roster: Roster, signal: AbortSignal): Promise<number | undefined> {
    const questions = headQuestions(migrationId)
    const { connections } = this.#deps.connections.ofRoster(roster)
    const heads = await Promise.all(
      connections.map((connection) => connection && this.#headOf(connection, questions, signal)),
    )
    return confirmedHead(roster.electorate(), heads)
  }

  async #headOf(
    connection: Connection,
    questions: readonly HeadQuestion[],
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const first = this.#known.get(connection) ?? 0
    for (let tries = 0; tries < questions.length; tries++) {
      if (!connection.rateLimit.allows('scan')) return undefined
      const index = (first + tries) % questions.length
      const said = await this.#ask(connection, questions[index] as HeadQuestion, signal)
      if (said === 'no-head') continue
      if (said !== undefined) this.#known.set(connection, index)
      return said
    }
    return undefined
  }

  /**
   * An older release answers 404 to a path that it lacks, or to what it takes for an id. Others may
   * refuse a path to this daemon.
   */
  async #ask(
    connection: Connection,
    question: HeadQuestion,
    signal: AbortSignal,
  ): Promise<number | 'no-head' | undefined> {
    const { method, path, body = '' } = question
    const request = { method, path: `/api/scan${path}`, body, maxBytes }
    const { requestTimeoutMs: timeoutMs } = this.#deps
    const response = await connection.askForDaemon({ ...request, timeoutMs }, signal)
    if (response.kind === 'fault') return undefined
    const json = response.status === 200 ? tryParse(response.body, { maxElements }) : undefined
    response.release()
    const reading =
      json === undefined || typeof json === 'string' ? undefined : readingOf(question, json.value)
    return reading === undefined ? 'no-head' : question.headIn(reading.value)
  }
}

/**
 * Returns the (f+1)-th highest time, which at least one honest super validator has reached. If
 * operators are configured, more than f operators must have reached it, too.
 * @param heads the latest record time of each voter, in milliseconds since 1970; undefined without
 * a reply.
 */
export function confirmedHead(
  electorate: Electorate,
  heads: readonly (number | undefined)[],
): number | undefined {
  const { superValidators, operators } = electorate
  const said = heads.flatMap((at, voter) => (at === undefined ? [] : [{ at, voter }]))
  said.sort((a, b) => b.at - a.at)
  const group: number[] = []
  for (const { at, voter } of said) {
    group.push(voter)
    if (group.length > superValidators.f && hasMoreThan(operators?.f, electorate, group)) return at
  }
  return undefined
}

function hasMoreThan(f: number | undefined, electorate: Electorate, group: Group): boolean {
  return f === undefined || operatorsOf(electorate, group) > f
}
