import { ageMs, type Clock, type Moment, momentBefore, momentOf } from '../lib/clock.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { isOutOfReach, Roster, type RosterSet, type Trust, trustedPart } from './roster.ts'
import type { RosterFileOptions } from './roster-file.ts'

/**
 * The source of the roster that reads use.
 * - `seeds`: the seeds agreed on it, and its members confirmed it.
 * - `refresh`: its own members agreed on it.
 * - `file`: it is from the roster file.
 * - `configuration`: it consists of the configured seeds.
 */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

export interface RosterBasis {
  readonly source: RosterSource
  readonly ageMs: number
}

export interface TrustOptions {
  readonly trust: Trust
  /**
   * The names of the super validators that the mode `bft-custom` trusts, even if the network does
   * not publish them.
   */
  readonly svNames: readonly string[]
  readonly minimumVoters: number
  readonly file: RosterFileOptions | undefined
}

export interface RosterInForceDeps {
  readonly clock: Clock
  readonly connections: Pick<Connections, 'keep'>
  readonly evidence: Pick<EvidenceLog, 'setRoster'>
  readonly taken: (roster: Roster, basis: RosterBasis) => void
}

/** Holds the roster that reads use: the `trustedPart` of the last agreed `RosterSet`. */
export class RosterInForce {
  readonly #deps: RosterInForceDeps
  #options: TrustOptions
  #roster: Roster | undefined
  #agreedSet: RosterSet | undefined
  #source: RosterSource | undefined
  #agreedAt: Moment | undefined

  constructor(options: TrustOptions, deps: RosterInForceDeps) {
    this.#options = options
    this.#deps = deps
  }

  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get source(): RosterSource | undefined {
    return this.#source
  }

  get ageMs(): number | undefined {
    return this.#agreedAt && ageMs(this.#agreedAt, momentOf(this.#deps.clock))
  }

  formed(set: RosterSet): Roster {
    const { trust, svNames } = this.#options
    return new Roster(trustedPart(set, trust, svNames), trust)
  }

  /**
   * Returns a sentence for each threshold that the new options would put above the roster's number
   * of votes, and for a least number of super validators that the roster would not reach. Thresholds
   * that are already too high are left out.
   */
  newProblems({ trust, svNames, minimumVoters }: Omit<TrustOptions, 'file'>): readonly string[] {
    const { roster } = this
    if (roster === undefined || this.#agreedSet === undefined) return []
    const next = new Roster(trustedPart(this.#agreedSet, trust, svNames), trust)
    const now = new Set(
      roster
        .unsafeThresholds()
        .filter(isOutOfReach)
        .map(({ option }) => option),
    )
    const tooHigh = next
      .unsafeThresholds()
      .filter((unsafe) => isOutOfReach(unsafe) && !now.has(unsafe.option))
      .map(
        ({ option, threshold, voters }) =>
          `${option} must be at most the number of votes in the roster, ${voters}, not ${threshold}`,
      )
    if (next.size >= minimumVoters) return tooHigh
    return [
      ...tooHigh,
      `scanClient.minimumVoters must be at most the number of super validators in the roster, ${next.size}, not ${minimumVoters}`,
    ]
  }

  isLargeEnough({ size }: Roster): boolean {
    return size >= this.#options.minimumVoters
  }

  take(roster: Roster, set: RosterSet, basis: RosterBasis): void {
    const { clock, connections, evidence, taken } = this.#deps
    this.#roster = roster
    this.#agreedSet = set
    this.#source = basis.source
    this.#agreedAt = momentBefore(momentOf(clock), basis.ageMs)
    connections.keep(roster)
    evidence.setRoster(roster.set.members.map(({ name }) => name))
    taken(roster, basis)
  }

  /** Records that a quorum of the current roster's members confirmed the roster. */
  confirmed(set: RosterSet): void {
    this.#agreedSet = set
    this.#agreedAt = momentOf(this.#deps.clock)
    this.#source = 'refresh'
  }

  configure(options: TrustOptions): void {
    this.#options = options
  }

  /**
   * Rebuilds the roster from the last agreed set and the options of `configure`, so that no read
   * begins under the former options. Returns false if there is no roster afterwards, for example
   * because too few super validators are left.
   */
  formAgain(): boolean {
    const set = this.#agreedSet
    if (this.#roster === undefined || set === undefined) return false
    const roster = this.formed(set)
    if (this.isLargeEnough(roster))
      this.take(roster, set, { source: this.#source ?? 'seeds', ageMs: this.ageMs ?? 0 })
    else this.#roster = undefined
    return this.#roster !== undefined
  }

  #isTooOld(): boolean {
    const { file } = this.#options
    return file !== undefined && (this.ageMs ?? Number.POSITIVE_INFINITY) >= file.maxAgeMs
  }
}
