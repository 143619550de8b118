import { canonicalJson } from '../base/lib/canonical-json.ts'
import { momentOf } from '../base/lib/clock.ts'
import { workerFile } from '../base/lib/worker-file.ts'
import type { Answer } from '../core/cache/answer.ts'
import type { Question } from '../core/reads/read.ts'
import { bodyParam } from '../core/reads/request.ts'
import { getUpdateHistoryV2 } from '../core/reads/updates.ts'
import type { LedgerNames } from './ledger-names.ts'
import type { Mirror } from './mirror.ts'
import type { UpkeepDeps } from './mirror-deps.ts'
import { isEnoughForMirror } from './mirror-electorate.ts'
import { mirroredPartOf } from './update-items.ts'
import type { UpkeepTask } from './upkeep.ts'

export interface UpdatePollsOptions {
  readonly pollIntervalMs: number
  /** The polls slow down when all scans together send more bytes a minute than this. */
  readonly maxBytesPerMinute: number
  readonly pageSize?: number
}

const minuteMs = 60_000
const file = workerFile(import.meta.url, 'update-items').href

/** A task of level `stream`, which reads the next page of updates and lets the mirror follow it. */
export class UpdatePolls implements UpkeepTask {
  readonly #options: UpdatePollsOptions
  readonly #mirror: Mirror
  readonly #deps: UpkeepDeps
  /**
   * The bytes that scans sent. The number is an estimate: the size of each agreed page times the
   * number of scans that were asked.
   */
  receivedBytes = 0
  /** The ledger has more updates, so the next poll follows at once. */
  #hasMore = true
  /**
   * At a rate of `maxBytesPerMinute`, all bytes received so far would have arrived at this value of
   * `Clock.now()`. Polls wait while it is more than a minute ahead.
   */
  #paidAt = Number.NEGATIVE_INFINITY

  constructor(options: UpdatePollsOptions, mirror: Mirror, deps: UpkeepDeps) {
    this.#options = options
    this.#mirror = mirror
    this.#deps = deps
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#hasMore = false
    try {
      this.#hasMore = await this.#poll(signal)
    } finally {
      this.#mirror.state?.tell()
    }
  }

  waitMs(): number {
    const toPayMs = this.#paidAt - this.#deps.askClock.now() - minuteMs
    return Math.max(this.#hasMore ? 0 : this.#options.pollIntervalMs, toPayMs)
  }

  async #poll(signal: AbortSignal): Promise<boolean> {
    const { clock, discovery, judge, reader } = this.#deps
    const following = this.#mirror.state?.following
    const { roster } = discovery
    if (roster === undefined || following?.set.trustDigest !== roster.trustDigest) return false
    const askedAt = momentOf(clock)
    const answer = await reader.liveAnswer(this.#question(following), signal)
    if (answer === undefined || answer.kind !== 'value') return false
    this.#count(answer)
    const items = await judge.work({ file, work: mirroredPartOf, bodies: [answer.body], input: undefined })
    // If the roster or the followed names were replaced meanwhile, the page may not fit them.
    if (discovery.roster !== roster || this.#mirror.state?.following !== following) return true
    const { agreement } = answer
    if (!isEnoughForMirror(agreement, roster)) return this.#tooFew()
    const isFull = items.length >= this.#pageSize
    this.#mirror.follow({ items, agreement, isFull, askedAt })
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
    this.receivedBytes += bytes
    this.#deps.telemetry.received(bytes)
    const costMs = (bytes * minuteMs) / this.#options.maxBytesPerMinute
    this.#paidAt = Math.max(this.#paidAt, this.#deps.askClock.now()) + costMs
  }

  #tooFew(): false {
    const { id } = getUpdateHistoryV2
    this.#mirror.state?.end(
      `Fewer super validators agree on updates than names need: raise scanClient.thresholds.${id} to that of names.`,
    )
    return false
  }
}
