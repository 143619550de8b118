import type { Clock } from '../lib/clock.ts'
import type { LimitedLog } from './limited-log.ts'
import type { Metrics } from './metrics.ts'

/** How many are needed, and how many are reachable now. */
export interface ReachableCount {
  readonly threshold: number
  readonly reachable: number
}

export interface Reachability {
  readonly superValidators: ReachableCount
  /** Set if operators are configured. */
  readonly operators?: ReachableCount
}

/** The roster that is now in force. */
export interface RosterState extends Reachability {
  readonly members: readonly { readonly name: string; readonly host?: string; readonly operator?: string }[]
  readonly protected: boolean
  /** True if only one seed vouches for it (quorum.md#the-first-roster). */
  readonly singleSeed: boolean
  /** Configured members of operators that match no super validator. */
  readonly unmatchedOperators: readonly string[]
  /** Time since it was agreed; 0 unless it was loaded from a file. */
  readonly ageMs?: number
}

/** Reports the roster in force to metrics and log. */
export class RosterEvents {
  readonly #metrics: Metrics
  readonly #log: LimitedLog
  readonly #clock: Clock
  #agreedAt: number | undefined
  #members = 0
  #hasQuorum = true

  constructor(metrics: Metrics, log: LimitedLog, clock: Clock) {
    this.#metrics = metrics
    this.#log = log
    this.#clock = clock
    metrics.roster_age_seconds.readFrom(() =>
      this.#agreedAt === undefined ? undefined : (clock.now() - this.#agreedAt) / 1000,
    )
  }

  agreed(agoMs = 0): void {
    this.#agreedAt = this.#clock.now() - agoMs
  }

  taken(roster: RosterState): void {
    this.agreed(roster.ageMs)
    this.#members = roster.members.length
    this.#metrics.protected.set(roster.protected ? 1 : 0)
    this.#metrics.roster_single_seed.set(roster.singleSeed ? 1 : 0)
    this.#metrics.operators_unmatched.set(roster.unmatchedOperators.length)
    this.#gauge(roster)
    this.#sayTaken(roster)
    this.#sayQuorum(roster)
  }

  reachable(reachability: Reachability): void {
    this.#gauge(reachability)
    this.#sayQuorum(reachability)
  }

  #gauge({ superValidators, operators }: Reachability): void {
    const { roster_super_validators, quorum_threshold, quorum_margin } = this.#metrics
    roster_super_validators.with({ state: 'reachable' }).set(superValidators.reachable)
    roster_super_validators.with({ state: 'unreachable' }).set(this.#members - superValidators.reachable)
    quorum_threshold.with({ count: 'super_validators' }).set(superValidators.threshold)
    quorum_margin.with({ count: 'super_validators' }).set(margin(superValidators))
    if (operators === undefined) return
    quorum_threshold.with({ count: 'operators' }).set(operators.threshold)
    quorum_margin.with({ count: 'operators' }).set(margin(operators))
  }

  #sayTaken({ members, superValidators, operators, ...roster }: RosterState): void {
    const names = members.map(({ name }) => name)
    const fields = {
      members: names,
      threshold: superValidators.threshold,
      operatorThreshold: operators?.threshold,
    }
    this.#log.write('info', names.join(), fields, 'roster taken')
    if (roster.singleSeed) this.#log.write('warn', '', {}, 'roster taken on the word of one seed')
    if (!roster.protected) {
      this.#log.write(
        'warn',
        '',
        fields,
        'answers are not protected: one super validator can make them alone',
      )
    }
    const unmatched = roster.unmatchedOperators
    if (unmatched.length > 0) {
      this.#log.write('warn', '', { unmatched }, 'members of operators match no super validator')
    }
  }

  #sayQuorum({ superValidators, operators }: Reachability): void {
    const has = margin(superValidators) >= 0 && (operators === undefined || margin(operators) >= 0)
    if (has === this.#hasQuorum) return
    this.#hasQuorum = has
    const fields = { superValidators, operators }
    if (has) this.#log.write('info', '', fields, 'a quorum is reachable again')
    else this.#log.write('warn', '', fields, 'no quorum is reachable')
  }
}

function margin({ reachable, threshold }: ReachableCount): number {
  return reachable - threshold
}
