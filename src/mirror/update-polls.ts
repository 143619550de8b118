import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import type { Clock } from '../lib/clock.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { Question } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'
import { getUpdateHistoryV2 } from '../reads/updates.ts'
import type { Roster } from '../scan/roster.ts'
import type { Following, UpdatePage } from './following.ts'
import type { UpdateItem } from './name-update.ts'
import type { StreamLevel } from './stream-level.ts'

export interface UpdatePollsOptions {
  /** The pause after a page that reached the end of the updates, and after a poll without an agreed page. */
  readonly pollIntervalMs: number
  /** The polls slow down when all scans together send more bytes a minute than this. */
  readonly maxBytesPerMinute: number
  /** The maximum number of updates on one page; 100 by default, which take about 1 MB. */
  readonly pageSize?: number
}

export interface UpdatePollsDeps {
  /** The clock that times the polls. It shows real time, even if the time of a localnet is moved. */
  readonly clock: Clock
  /**
   * Returns `Clock.now()` of the clock by which the age of answers is computed. That clock moves with the
   * time of a localnet.
   */
  readonly now: () => number
  readonly level: Pick<StreamLevel, 'following' | 'end' | 'tell'>
  readonly roster: () => Roster | undefined
  /** Asks super validators, and uses no cache. Resolves to undefined if they do not agree. */
  readonly liveAnswer: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>
  /** Whether the super validators that agreed on a page are enough for every read that the mirror answers. */
  readonly isEnough: (agreement: Agreement, roster: Roster) => boolean
  readonly follow: (page: UpdatePage) => void
  /**
   * Receives the number of bytes that scans sent for one page. The number is an estimate: the size of the
   * agreed body times the number of scans that were asked.
   */
  readonly received: (bytes: number) => void
}

const minuteMs = 60_000

/**
 * Follows the updates of the ledger page by page. A quorum must agree on each page. If there is no agreement,
 * the next poll asks for the same page again.
 */
export class UpdatePolls implements AsyncDisposable {
  readonly #options: UpdatePollsOptions
  readonly #deps: UpdatePollsDeps
  readonly #closing = new AbortController()
  #cancel: (() => void) | undefined
  #running: Promise<void> | undefined
  /**
   * The value of `Clock.now()` at which all bytes received so far would have arrived at a rate of exactly
   * `maxBytesPerMinute`. Polls wait while this time is more than a minute ahead.
   */
  #paidAt = Number.NEGATIVE_INFINITY

  constructor(options: UpdatePollsOptions, deps: UpdatePollsDeps) {
    this.#options = options
    this.#deps = deps
  }

  start(): void {
    this.#after(0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the mirror is closing'))
    this.#cancel?.()
    await this.#running
  }

  #after(ms: number): void {
    if (this.#closing.signal.aborted) return
    this.#cancel = this.#deps.clock.after(ms, () => {
      this.#running = this.#poll()
        .catch(() => 'end' as const)
        .then((end) => {
          this.#deps.level.tell()
          this.#after(this.#waitMs(end))
        })
    })
  }

  #waitMs(end: PollEnd): number {
    const toPayMs = this.#paidAt - this.#deps.clock.now() - minuteMs
    return Math.max(end === 'more' ? 0 : this.#options.pollIntervalMs, toPayMs)
  }

  async #poll(): Promise<PollEnd> {
    const { now, level, roster: rosterNow } = this.#deps
    const { following } = level
    const roster = rosterNow()
    if (following === undefined || roster?.trustDigest !== following.trustDigest) return 'end'
    const askedAt = now()
    const answer = await this.#deps.liveAnswer(this.#question(following), this.#closing.signal)
    if (answer === undefined || answer.kind !== 'value') return 'end'
    this.#count(answer)
    // If the roster or the followed names were replaced during the request, the page may not fit the new
    // ones.
    if (rosterNow() !== roster || level.following !== following) return 'more'
    const { agreement } = answer
    if (!this.#deps.isEnough(agreement, roster)) return this.#tooFew()
    const { transactions: items } = parseJsonText(answer.body.toString()) as { transactions: UpdateItem[] }
    const isFull = items.length >= this.#pageSize
    this.#deps.follow({ items, agreement, isFull, askedAt })
    return isFull ? 'more' : 'end'
  }

  get #pageSize(): number {
    return this.#options.pageSize ?? 100
  }

  #question({ cursor: { migrationId, at } }: Following): Question {
    const body = {
      after: { after_migration_id: migrationId, after_record_time: at },
      daml_value_encoding: 'compact_json',
      page_size: this.#pageSize,
    }
    return { read: getUpdateHistoryV2, params: { [bodyParam]: canonicalJson(body) } }
  }

  #count({ body, agreement }: Answer): void {
    const bytes = body.length * agreement.asked
    this.#deps.received(bytes)
    const costMs = (bytes * minuteMs) / this.#options.maxBytesPerMinute
    this.#paidAt = Math.max(this.#paidAt, this.#deps.clock.now()) + costMs
  }

  #tooFew(): PollEnd {
    const { id } = getUpdateHistoryV2
    this.#deps.level.end(
      `Fewer super validators agree on updates than names need: raise scanClient.thresholds.${id} to that of names.`,
    )
    return 'end'
  }
}

/**
 * The result of a poll. It sets the pause before the next poll. The pause is longer while the polls exceed
 * `maxBytesPerMinute`.
 * - `more`: no pause.
 * - `end`: `pollIntervalMs`.
 */
type PollEnd = 'more' | 'end'
