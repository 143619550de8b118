import type { Clock } from '../lib/clock.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { isOutOfReach, Roster, type RosterSet, type Trust, trustedPart } from './roster.ts'
import type { RosterFileOptions } from './roster-file.ts'

/**
 * The source of the roster in force.
 * - `seeds`: the seeds agreed on it, and its members confirmed it.
 * - `refresh`: its own members agreed on it.
 * - `file`: it is from the roster file.
 * - `configuration`: it consists of the configured seeds.
 */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

/**
 * The source of a roster, and its age: the milliseconds since a quorum agreed on it, 0 for configured seeds.
 */
export interface RosterBasis {
  readonly source: RosterSource
  readonly ageMs: number
}

export interface TrustOptions {
  readonly trust: Trust
  /**
   * The names of the super validators that the mode `bft-custom` trusts, even if the network does not publish
   * them.
   */
  readonly svNames: readonly string[]
  readonly minimumVoters: number
  /** The roster file; undefined if none is configured. */
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
  /** The last agreed set of all super validators. `trustedPart` selects the roster from this set. */
  #agreedSet: RosterSet | undefined
  #source: RosterSource | undefined
  #agreedAt: number | undefined

  constructor(options: TrustOptions, deps: RosterInForceDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * The roster that reads use. A roster from the roster file is used until it is too old or another roster
   * replaces it. Undefined if there is no usable roster.
   */
  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get source(): RosterSource | undefined {
    return this.#source
  }

  /**
   * Milliseconds since a quorum last agreed on the roster, or since the configured seeds became the roster.
   * Undefined before the first roster.
   */
  get ageMs(): number | undefined {
    return this.#agreedAt === undefined ? undefined : this.#deps.clock.now() - this.#agreedAt
  }

  /**
   * Makes a roster from an agreed `RosterSet`: selects the super validators that the configuration trusts
   * (`trustedPart`), and applies the configured thresholds.
   */
  formed(set: RosterSet): Roster {
    const { trust, svNames } = this.#options
    return new Roster(trustedPart(set, trust, svNames), trust)
  }

  /**
   * Returns a sentence for each threshold that the new options would put above the roster's number of votes
   * (`isOutOfReach`). Thresholds that are already too high are left out. Empty if there is no roster.
   */
  outOfReach({ trust, svNames }: Pick<TrustOptions, 'trust' | 'svNames'>): readonly string[] {
    const { roster } = this
    if (roster === undefined || this.#agreedSet === undefined) return []
    const next = new Roster(trustedPart(this.#agreedSet, trust, svNames), trust)
    const now = new Set(
      roster
        .unsafeThresholds()
        .filter(isOutOfReach)
        .map(({ option }) => option),
    )
    return next
      .unsafeThresholds()
      .filter((unsafe) => isOutOfReach(unsafe) && !now.has(unsafe.option))
      .map(
        ({ option, threshold, voters }) =>
          `${option} must be at most the number of votes in the roster, ${voters}, not ${threshold}`,
      )
  }

  isLargeEnough({ size }: Roster): boolean {
    return size >= this.#options.minimumVoters
  }

  /**
   * Makes this the roster that reads use.
   * @param set the agreed set from which `roster` was made.
   */
  take(roster: Roster, set: RosterSet, basis: RosterBasis): void {
    const { clock, connections, evidence, taken } = this.#deps
    this.#roster = roster
    this.#agreedSet = set
    this.#source = basis.source
    this.#agreedAt = clock.now() - basis.ageMs
    connections.keep(roster)
    evidence.setRoster(roster.set.members.map(({ name }) => name))
    taken(roster, basis)
  }

  /** Records that a refresh confirmed the current roster: a quorum of its members gave `set`. */
  confirmed(set: RosterSet): void {
    this.#agreedSet = set
    this.#agreedAt = this.#deps.clock.now()
    this.#source = 'refresh'
  }

  /** Stores new options. They apply only to rosters that are made afterwards. */
  configure(options: TrustOptions): void {
    this.#options = options
  }

  /**
   * Rebuilds the roster from the last agreed set and the options of `configure`, so that no read begins under
   * the former options. If the new roster has too few super validators, the daemon then has no roster.
   * @returns whether there is a roster.
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
