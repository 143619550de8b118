import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import { askingOrder, winningLength } from '../quorum/asking-order.ts'
import type { Electorate } from '../quorum/electorate.ts'
import type { PlanOptions } from '../quorum/plan.ts'
import type { Holding, Question } from '../reads/read.ts'
import type { Health, ReplyKind } from './health.ts'
import type { Holdings } from './holdings.ts'
import type { ScanRequest } from './node.ts'
import { type Ingress, ingressOf, type RateLimit } from './rate-limit.ts'

/**
 * If one of the first scans is expected to take at least this many milliseconds, the daemon asks one more
 * scan at the start. That costs less than to ask another scan only after a reply is late.
 */
const sparedMs = 20

/**
 * The penalties in milliseconds for scans that should be asked last. The selection adds a penalty to the
 * expected reply time. Each penalty is longer than any real wait, so a scan with a penalty comes after all
 * scans without one.
 */
const after = {
  /** The scan's reply time is unknown (`Health.expectedMs` returns undefined). */
  unknown: 1e6,
  /**
   * The scan's rate limit is used up, or the scan asked for a pause. Without this penalty, every read would
   * wait until the daemon may ask the fastest scan.
   */
  limited: 1.5e6,
  /** The scan has failed since it last answered a caller's read, and is unreachable (`Health.isFailing`). */
  failing: 2e6,
  /** The scan reported that it does not hold the requested history. */
  lacking: 8e6,
}

/** The state of one voter's scan that the selection depends on. */
export interface Candidate {
  readonly health: Health
  readonly rateLimit: RateLimit
  readonly holdings: Pick<Holdings, 'lacks'>
}

/** The properties of a request that affect the choice of scans. */
export interface Wanted {
  readonly kind: ReplyKind
  readonly ingress: Ingress
  /** The history that a scan must hold to answer; undefined if the request needs none. */
  readonly holding: Holding | undefined
}

/**
 * A read is `small` if its bodies may have at most this many bytes. All small reads of a scan share one
 * record of reply times, because a short body hardly affects the time.
 */
const smallBytes = 65_536

export function wantedOf({ read, params }: Question, request: ScanRequest): Wanted {
  return {
    kind: request.maxBytes <= smallBytes ? 'small' : read.id,
    ingress: ingressOf(request),
    holding: read.holders?.of(params),
  }
}

/** The position and the reply times of a scan, for reads with small answers. */
export interface Standing {
  /**
   * The position of the scan in the order of asking, from 1. Scans with the same expected time share a
   * position.
   */
  readonly place: number
  /** The milliseconds that a reply is expected to take; undefined if no small reply is known yet. */
  readonly expectedMs: number | undefined
  /** The milliseconds after which a reply is late. The daemon then asks another scan. */
  readonly lateMs: number
}

const lookups: Wanted = { kind: 'small', ingress: 'scan', holding: undefined }

/**
 * Chooses which scans are asked first: those that are expected to reply soonest
 * (quorum.md#reply-times-are-learnt).
 */
export class Selection {
  readonly #candidates: readonly (Candidate | undefined)[]
  readonly #clock: Clock

  /**
   * @param candidates the state of each voter's scan, by voter index; undefined for a voter that cannot be
   * asked.
   */
  constructor(candidates: readonly (Candidate | undefined)[], clock: Clock) {
    this.#candidates = candidates
    this.#clock = clock
  }

  choose(electorate: Electorate, wanted: Wanted, random: Random): Pick<PlanOptions, 'order' | 'spare'> {
    const order = askingOrder(electorate, this.expectedMs(wanted), random)
    return { order, spare: this.#sparePays(wanted, order, winningLength(electorate, order)) }
  }

  /**
   * Draws one of the voters whose rate limit leaves plenty of requests (`hasPlenty`). Undefined if no voter
   * has such a rate limit.
   */
  drawAudited(voters: readonly number[], { ingress }: Wanted, random: Random): number | undefined {
    const free = voters.filter((voter) => this.#candidates[voter]?.rateLimit.hasPlenty(ingress) === true)
    return free[Math.floor(random() * free.length)]
  }

  /**
   * Returns the milliseconds until each voter's reply is expected, penalties included, by voter index.
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

  /**
   * Returns the position and the reply times of each voter's scan, by voter index. Undefined for a voter that
   * cannot be asked.
   */
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
   * Whether to ask one more scan at the start. That is so if one of the first scans is slow, and the rate
   * limit of the next scan leaves plenty of requests.
   * @param length the number of scans that are asked first, without the additional one.
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
