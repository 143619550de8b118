import { ageMs, type Clock, type Moment, momentBefore, momentOf } from '../lib/clock.ts'
import type { LimitedLog } from './limited-log.ts'
import type { Logger } from './logger.ts'
import type { Metrics } from './metrics.ts'
import { type OutageLines, Outages } from './outages.ts'

/**
 * When no quorum is reachable any more, the next line with this message is written despite the
 * limit on equal lines.
 */
export const notAgreed = 'a read was not agreed on'
const quorumQuietMs = 60_000

/**
 * After a reload of the configuration, the next line with each message is written despite the limit
 * on equal lines.
 */
export const rosterLines = {
  taken: 'roster taken',
  onOneSeed: 'roster taken on the word of one seed',
  unprotected: 'answers are not protected: super validators that lie can make them up',
  unmatched: 'members of operators match no super validator',
} as const

/** Super validators that share a vote count as one. */
export interface ReachableCount {
  readonly threshold: number
  readonly reachable: number
  /** The number that have neither replied nor failed yet; `reachable` does not count them. */
  readonly unheard?: number
}

export interface Reachability {
  readonly superValidators: ReachableCount
  readonly reachableMembers: number
  readonly operators?: ReachableCount
}

export interface RosterState extends Reachability {
  readonly members: readonly { readonly name: string; readonly operator?: string }[]
  readonly protected: boolean
  /** True if only one seed confirmed the list of super validators (quorum.md#the-first-roster). */
  readonly singleSeed: boolean
  readonly unmatchedOperators: readonly string[]
  /**
   * A threshold below `least` is unsafe: faulty super validators alone can meet it. A threshold
   * above `voters` is unsafe, too: all voters together cannot meet it.
   */
  readonly unsafeThresholds?: readonly {
    readonly option: string
    readonly threshold: number
    readonly least: number
    readonly voters: number
  }[]
  readonly unpinnedDso?: string
  readonly ageMs?: number
}

export class RosterEvents {
  readonly #metrics: Metrics
  readonly #log: LimitedLog
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #quorum: Outages
  #agreedAt: Moment | undefined
  #hasToldDso = false
  #members = 0
  /** If the thresholds change, the next outage of the quorum gets a log line. */
  #thresholds = ''
  /** Unsafe thresholds that stay as they were get no further log line. */
  #unsafe: ReadonlySet<string> = new Set()

  constructor(
    metrics: Metrics,
    { log, logger, clock }: { readonly log: LimitedLog; readonly logger: Logger; readonly clock: Clock },
  ) {
    this.#metrics = metrics
    this.#log = log
    this.#clock = clock
    this.#logger = logger
    const lines: OutageLines = {
      began: (_, fields) => {
        logger.warn(fields, 'no quorum is reachable')
        log.writeAgain(notAgreed)
      },
      ended: (_, ms) => logger.warn({ afterSeconds: Math.round(ms / 1000) }, 'a quorum is reachable again'),
    }
    this.#quorum = new Outages(clock, lines, quorumQuietMs)
    metrics.roster_age_seconds.readFrom(() => this.#agreedAt && ageMs(this.#agreedAt, momentOf(clock)) / 1000)
  }

  agreed(agoMs = 0): void {
    this.#agreedAt = momentBefore(momentOf(this.#clock), agoMs)
  }

  taken(roster: RosterState): void {
    this.agreed(roster.ageMs)
    this.#members = roster.members.length
    this.#metrics.protected.set(roster.protected ? 1 : 0)
    this.#metrics.roster_single_seed.set(roster.singleSeed ? 1 : 0)
    this.#metrics.operators_unmatched.set(roster.unmatchedOperators.length)
    this.#gauge(roster)
    this.#sayTaken(roster)
    this.#sayUnpinned(roster)
    const thresholds = JSON.stringify([roster.superValidators.threshold, roster.operators?.threshold])
    if (thresholds !== this.#thresholds) this.#quorum.tellNext('quorum')
    this.#thresholds = thresholds
    this.#sayUnsafe(roster)
    this.#sayQuorum(roster)
  }

  reachable(reachability: Reachability): void {
    this.#gauge(reachability)
    this.#sayQuorum(reachability)
  }

  #gauge({ superValidators, reachableMembers, operators }: Reachability): void {
    const { roster_super_validators, quorum_threshold, quorum_margin } = this.#metrics
    roster_super_validators.with({ state: 'reachable' }).set(reachableMembers)
    roster_super_validators.with({ state: 'unreachable' }).set(this.#members - reachableMembers)
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
    const subject = JSON.stringify(fields)
    this.#log.write('info', subject, fields, rosterLines.taken)
    if (roster.singleSeed) this.#log.write('warn', '', {}, rosterLines.onOneSeed)
    if (!roster.protected) {
      this.#log.write('warn', subject, fields, rosterLines.unprotected)
    }
    const unmatched = roster.unmatchedOperators
    if (unmatched.length > 0) {
      this.#log.write('warn', unmatched.join(), { unmatched }, rosterLines.unmatched)
    }
  }

  #sayUnpinned({ unpinnedDso }: RosterState): void {
    if (unpinnedDso === undefined || this.#hasToldDso) return
    this.#hasToldDso = true
    this.#logger.info(
      { dsoPartyId: unpinnedDso },
      'no DSO is pinned: once you have checked that this is the one of your network, set scanClient.dsoPartyId (SCAN_DSO_PARTY_ID) to it',
    )
  }

  #sayUnsafe({ unsafeThresholds = [] }: RosterState): void {
    const before = this.#unsafe
    this.#unsafe = new Set(unsafeThresholds.map((unsafe) => JSON.stringify(unsafe)))
    for (const unsafe of unsafeThresholds.filter((each) => !before.has(JSON.stringify(each))))
      this.#logger.warn(
        unsafe,
        unsafe.threshold < unsafe.least
          ? 'a threshold is below f+1: super validators that lie together can make an answer'
          : 'a threshold is above the number of super validators that vote: no answer can be agreed',
      )
  }

  #sayQuorum({ superValidators, operators }: Reachability): void {
    const counts = operators === undefined ? [superValidators] : [superValidators, operators]
    if (counts.every((count) => margin(count) >= 0)) this.#quorum.worked('quorum')
    else if (counts.some((count) => margin(count) + (count.unheard ?? 0) < 0))
      this.#quorum.failed('quorum', {
        superValidators: shown(superValidators),
        operators: operators && shown(operators),
      })
  }
}

function shown({ threshold, reachable }: ReachableCount) {
  return { threshold, reachable }
}

function margin({ reachable, threshold }: ReachableCount): number {
  return reachable - threshold
}
