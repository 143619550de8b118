import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { askingOrder, winningLength } from '../quorum/order.ts'
import type { PlanOptions } from '../quorum/plan.ts'
import type { Holding } from '../reads/read.ts'
import type { Health, ReplyKind } from './health.ts'
import type { Holdings } from './holdings.ts'
import type { Ingress, RateLimit } from './rate-limit.ts'

/**
 * From this reply time on, a spare request costs less than first waiting until a reply is late and then
 * asking another scan.
 */
const sparedMs = 20

/**
 * Milliseconds added to the expected reply time of scans that come last. Each penalty exceeds any real wait.
 */
const after = {
  /** No reply has been measured yet. */
  unknown: 1e6,
  /** Its rate limit is used up. If every read waited for the fastest scan, every read would be slow. */
  limited: 1.5e6,
  /** Its last request failed. */
  failing: 2e6,
  /** It reports that it does not have the requested history. */
  lacking: 8e6,
}

/** The state of one voter's scan. */
export interface Candidate {
  readonly health: Health
  readonly rateLimit: RateLimit
  readonly holdings: Pick<Holdings, 'lacks'>
}

/** The properties of a request that affect the choice of scans. */
export interface Wanted {
  readonly kind: ReplyKind
  readonly ingress: Ingress
  readonly holding: Holding | undefined
}

/** The rank and reply times of a scan for reads of small answers. */
export interface Standing {
  /** Position in the order of asking, from 1. */
  readonly place: number
  /** The expected time from a request to its reply; undefined before the first reply. */
  readonly expectedMs: number | undefined
  /** After this long its reply is late, and the daemon asks another scan. */
  readonly lateMs: number
}

const lookups: Wanted = { kind: 'small', ingress: 'scan', holding: undefined }

/** Puts those scans first that are expected to reply soonest (quorum.md#reply-times-are-learnt). */
export class Selection {
  readonly #candidates: readonly (Candidate | undefined)[]
  readonly #clock: Clock

  /** @param candidates by voter index; undefined for a voter that cannot be asked. */
  constructor(candidates: readonly (Candidate | undefined)[], clock: Clock) {
    this.#candidates = candidates
    this.#clock = clock
  }

  choose(electorate: Electorate, wanted: Wanted, random: Random): Pick<PlanOptions, 'order' | 'spare'> {
    const order = askingOrder(electorate, this.expectedMs(wanted), random)
    return { order, spare: this.#sparePays(wanted, order, winningLength(electorate, order)) }
  }

  /**
   * Returns the expected milliseconds from now to each voter's reply, penalties included, by voter index.
   * Undefined for a voter that cannot be asked.
   */
  expectedMs({ kind, ingress, holding }: Wanted): readonly (number | undefined)[] {
    const now = this.#clock.now()
    return this.#candidates.map((candidate) => {
      if (candidate === undefined) return undefined
      const { health, rateLimit, holdings } = candidate
      const waitMs = rateLimit.waitMs(ingress, now)
      let expected = (health.expectedMs(kind, now) ?? after.unknown) + waitMs
      if (waitMs > 0) expected += after.limited
      if (health.isFailing) expected += after.failing
      if (holding !== undefined && holdings.lacks(holding, now)) expected += after.lacking
      return expected
    })
  }

  /** The standing of each voter, by index; undefined for a voter that cannot be asked. */
  standings(): readonly (Standing | undefined)[] {
    const now = this.#clock.now()
    const expectedMs = this.expectedMs(lookups)
    return this.#candidates.map((candidate, voter) => {
      const expected = expectedMs[voter]
      if (candidate === undefined || expected === undefined) return undefined
      const faster = expectedMs.filter((other) => other !== undefined && other < expected).length
      const { health } = candidate
      return {
        place: faster + 1,
        expectedMs: health.expectedMs(lookups.kind, now),
        lateMs: health.lateMs(lookups.kind),
      }
    })
  }

  /**
   * Whether a spare request is worthwhile: the next scan has requests left, and one of the first is slow.
   * @param length of the first wave without a spare.
   */
  #sparePays({ kind, ingress }: Wanted, order: readonly number[], length: number): boolean {
    const spare = this.#candidates[order[length] ?? -1]
    if (spare === undefined || !spare.rateLimit.hasPlenty(ingress)) return false
    const now = this.#clock.now()
    return order
      .slice(0, length)
      .some((voter) => (this.#candidates[voter]?.health.expectedMs(kind, now) ?? 0) >= sparedMs)
  }
}
