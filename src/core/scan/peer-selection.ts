import type { Clock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { askingOrder, type PlanOptions, winningLength } from '../quorum/plan.ts'
import type { Holding, Question } from '../reads/read.ts'
import type { Health, ReplyKind } from './health.ts'
import type { Holdings } from './holdings.ts'
import type { ScanRequest } from './node.ts'
import { type Ingress, ingressOf, type RateLimit } from './rate-limit.ts'

/**
 * The expected reply time from which a scan counts as slow. If a scan that is asked first is slow,
 * the daemon asks one more scan at the start, rather than only after a reply is late.
 */
const slowFromMs = 20

/**
 * Milliseconds that are added to the expected reply time of scans that should be asked last. Each
 * penalty is longer than any real wait. `unknown` replaces a reply time that is not known yet.
 */
const penaltiesMs = {
  unknown: 1e6,
  /**
   * The scan's rate limit is used up, or the scan asked for a pause. Without this penalty, every
   * read would wait until the daemon may ask the fastest scan.
   */
  limited: 1.5e6,
  failing: 2e6,
  lacking: 8e6,
}

export interface Candidate {
  readonly health: Health
  readonly rateLimit: RateLimit
  readonly holdings: Pick<Holdings, 'lacks'>
}

export interface PeerCriteria {
  readonly kind: ReplyKind
  readonly ingress: Ingress
  readonly holding: Holding | undefined
}

/**
 * Reads with bodies up to this size share one record of reply times per scan, because a short body
 * hardly affects the time.
 */
const smallBytes = 65_536

export function wantedOf({ read, params }: Question, request: ScanRequest): PeerCriteria {
  return {
    kind: request.maxBytes <= smallBytes ? 'small' : read.id,
    ingress: ingressOf(request),
    holding: read.holders?.of(params),
  }
}

export interface Standing {
  /**
   * The position in the order of asking, from 1. Scans with the same expected time share a
   * position.
   */
  readonly place: number
  readonly expectedMs: number | undefined
  readonly lateMs: number
}

const lookups: PeerCriteria = { kind: 'small', ingress: 'scan', holding: undefined }

/**
 * Chooses which scans are asked first: those that are expected to reply soonest
 * (quorum.md#reply-times-are-learnt).
 */
export class Selection {
  readonly #candidates: readonly (Candidate | undefined)[]
  readonly #clock: Clock

  constructor(candidates: readonly (Candidate | undefined)[], clock: Clock) {
    this.#candidates = candidates
    this.#clock = clock
  }

  choose(electorate: Electorate, wanted: PeerCriteria, random: Random): Pick<PlanOptions, 'order' | 'spare'> {
    const order = askingOrder(electorate, this.expectedMs(wanted), random)
    return { order, spare: this.#sparePays(wanted, order, winningLength(electorate, order)) }
  }

  drawAudited(voters: readonly number[], { ingress }: PeerCriteria, random: Random): number | undefined {
    const free = voters.filter((voter) => this.#candidates[voter]?.rateLimit.hasPlenty(ingress) === true)
    return free[Math.floor(random() * free.length)]
  }

  expectedMs({ kind, ingress, holding }: PeerCriteria): readonly (number | undefined)[] {
    const now = this.#clock.now()
    return this.#candidates.map((candidate) => {
      if (candidate === undefined) return undefined
      const { health, rateLimit, holdings } = candidate
      const waitMs = rateLimit.waitMs(ingress, now)
      let expected = (health.expectedMs(kind, now) ?? penaltiesMs.unknown) + waitMs
      if (waitMs > 0) expected += penaltiesMs.limited
      if (health.isFailing) expected += penaltiesMs.failing
      if (holding !== undefined && holdings.lacks(holding, now)) expected += penaltiesMs.lacking
      return expected
    })
  }

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

  #sparePays({ kind, ingress }: PeerCriteria, order: readonly number[], length: number): boolean {
    const spare = this.#candidates[order[length] ?? -1]
    if (spare === undefined || !spare.rateLimit.hasPlenty(ingress)) return false
    const now = this.#clock.now()
    return order
      .slice(0, length)
      .some((voter) => (this.#candidates[voter]?.health.expectedMs(kind, now) ?? 0) >= slowFromMs)
  }
}
