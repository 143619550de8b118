import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { type Clock, momentOf } from '../lib/clock.ts'
import type { Question } from '../reads/read.ts'
import { bodyParam } from '../reads/request.ts'
import type { UpdateItem } from '../reads/update-items.ts'
import { getUpdateHistoryV2 } from '../reads/updates.ts'
import type { Roster } from '../scan/roster.ts'
import type { LedgerNames, UpdatePage } from './ledger-names.ts'
import type { StreamLevel } from './stream-level.ts'
import type { UpkeepTask } from './upkeep.ts'

export interface UpdatePollsOptions {
  readonly pollIntervalMs: number
  /** The polls slow down when all scans together send more bytes a minute than this. */
  readonly maxBytesPerMinute: number
  readonly pageSize?: number
}

export interface UpdatePollsDeps {
  /** This clock times the polls. It shows real time, even if the time of a localnet is moved. */
  readonly clock: Clock
  /** The clock by which the age of answers is computed, which moves with the time of a localnet. */
  readonly answerClock: Pick<Clock, 'now' | 'wall'>
  readonly level: Pick<StreamLevel, 'following' | 'end' | 'tell'>
  readonly roster: () => Roster | undefined
  readonly liveAnswer: (question: Question, signal: AbortSignal) => Promise<Answer | undefined>
  /** Reads a page of updates, on another thread if it is long. */
  readonly itemsIn: (body: Buffer) => Promise<readonly UpdateItem[]>
  readonly isEnough: (agreement: Agreement, roster: Roster) => boolean
  readonly follow: (page: UpdatePage) => void
  /**
   * Reports the bytes that scans sent for a page. The number is an estimate: the size of the agreed
   * page times the number of scans that were asked.
   */
  readonly received: (bytes: number) => void
}

const minuteMs = 60_000

/** A task that reads the next page of updates and lets the mirror follow it. */
export class UpdatePolls implements UpkeepTask {
  readonly #options: UpdatePollsOptions
  readonly #deps: UpdatePollsDeps
  /** The ledger has more updates, so the next poll follows at once. */
  #hasMore = true
  /**
   * At a rate of `maxBytesPerMinute`, all bytes received so far would have arrived at this value of
   * `Clock.now()`. Polls wait while it is more than a minute ahead.
   */
  #paidAt = Number.NEGATIVE_INFINITY

  constructor(options: UpdatePollsOptions, deps: UpdatePollsDeps) {
    this.#options = options
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#hasMore = false
    try {
      this.#hasMore = await this.#poll(signal)
    } finally {
      this.#deps.level.tell()
    }
  }

  waitMs(): number {
    const toPayMs = this.#paidAt - this.#deps.clock.now() - minuteMs
    return Math.max(this.#hasMore ? 0 : this.#options.pollIntervalMs, toPayMs)
  }

  async #poll(signal: AbortSignal): Promise<boolean> {
    const { answerClock, level, roster: rosterNow } = this.#deps
    const { following } = level
    const roster = rosterNow()
    if (roster === undefined || following?.set.trustDigest !== roster.trustDigest) return false
    const askedAt = momentOf(answerClock)
    const answer = await this.#deps.liveAnswer(this.#question(following), signal)
    if (answer === undefined || answer.kind !== 'value') return false
    this.#count(answer)
    const items = await this.#deps.itemsIn(answer.body)
    // If the roster or the followed names were replaced meanwhile, the page may not fit them.
    if (rosterNow() !== roster || level.following !== following) return true
    const { agreement } = answer
    if (!this.#deps.isEnough(agreement, roster)) return this.#tooFew()
    const isFull = items.length >= this.#pageSize
    this.#deps.follow({ items, agreement, isFull, askedAt })
    return isFull
  }

  get #pageSize(): number {
    return this.#options.pageSize ?? 100
  }

  #question({ cursor: { migrationId, at } }: LedgerNames): Question {
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

  #tooFew(): false {
    const { id } = getUpdateHistoryV2
    this.#deps.level.end(
      `Fewer super validators agree on updates than names need: raise scanClient.thresholds.${id} to that of names.`,
    )
    return false
  }
}
