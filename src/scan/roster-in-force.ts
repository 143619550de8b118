import type { Clock } from '../lib/clock.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { Roster, type RosterSet, type Trust, trustedPart } from './roster.ts'
import type { RosterFileOptions } from './roster-file.ts'

/** Where the current roster comes from. */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

/** Where a roster comes from, and how long ago it was agreed. */
export interface Provenance {
  readonly source: RosterSource
  readonly ageMs: number
}

export interface TrustOptions {
  readonly trust: Trust
  /**
   * With the mode `bft-custom`: the names of the super validators to trust, even if they are not published.
   */
  readonly svNames: readonly string[]
  readonly minimumVoters: number
  readonly file: RosterFileOptions | undefined
}

export interface RosterInForceDeps {
  readonly clock: Clock
  readonly connections: Pick<Connections, 'keep'>
  readonly evidence: Pick<EvidenceLog, 'setRoster'>
  readonly taken: (roster: Roster, provenance: Provenance) => void
}

/**
 * Holds the roster that reads use. It is made of the set that was agreed last, and of the configured trust.
 */
export class RosterInForce {
  readonly #deps: RosterInForceDeps
  #options: TrustOptions
  #roster: Roster | undefined
  /** The set as it was agreed, before `svNames` selected a part of it. */
  #agreedSet: RosterSet | undefined
  #source: RosterSource | undefined
  #agreedAt: number | undefined

  constructor(options: TrustOptions, deps: RosterInForceDeps) {
    this.#options = options
    this.#deps = deps
  }

  /**
   * The roster that reads use. A roster from the file is used until it is too old or another one replaces it.
   */
  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get source(): RosterSource | undefined {
    return this.#source
  }

  /** Milliseconds since a quorum last confirmed the set; undefined without a roster. */
  get ageMs(): number | undefined {
    return this.#agreedAt === undefined ? undefined : this.#deps.clock.now() - this.#agreedAt
  }

  /** Makes a roster of an agreed set, by the configured trust. */
  formed(set: RosterSet): Roster {
    const { trust, svNames } = this.#options
    return new Roster(trustedPart(set, trust, svNames), trust)
  }

  isLargeEnough({ size }: Roster): boolean {
    return size >= this.#options.minimumVoters
  }

  /**
   * Uses this roster from now on.
   * @param set the agreed set of which `roster` was made.
   */
  take(roster: Roster, set: RosterSet, provenance: Provenance): void {
    const { clock, connections, evidence, taken } = this.#deps
    this.#roster = roster
    this.#agreedSet = set
    this.#source = provenance.source
    this.#agreedAt = clock.now() - provenance.ageMs
    connections.keep(roster)
    evidence.setRoster(roster.set.members.map(({ name }) => name))
    taken(roster, provenance)
  }

  /** Records that a quorum of the members confirmed the set. */
  confirmed(set: RosterSet): void {
    this.#agreedSet = set
    this.#agreedAt = this.#deps.clock.now()
    this.#source = 'refresh'
  }

  /** Stores new options. Rosters that are made from now on follow them. */
  configure(options: TrustOptions): void {
    this.#options = options
  }

  /**
   * Makes the roster anew of the agreed set, so that no read begins under former options. If it has too few
   * super validators now, there is no roster.
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
