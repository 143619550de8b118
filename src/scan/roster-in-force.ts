import type { Clock } from '../lib/clock.ts'
import type { Connections } from './connections.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { Roster, type RosterSet, type Trust, trustedPart } from './roster.ts'
import type { RosterFileOptions } from './roster-file.ts'

/** The origin of the current roster. */
export type RosterSource = 'seeds' | 'refresh' | 'file' | 'configuration'

/** Where a roster comes from, and how long ago it was agreed. */
export interface Provenance {
  readonly source: RosterSource
  readonly ageMs: number
}

export interface TrustOptions {
  readonly trust: Trust
  /** For `bft-custom`: the super validators to trust, even if they are not published. */
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

/** The roster that reads use: the set that was last agreed, as the configuration trusts it. */
export class RosterInForce {
  readonly #deps: RosterInForceDeps
  #options: TrustOptions
  #roster: Roster | undefined
  /** The set as it was agreed, before `svNames` picked from it. */
  #agreedSet: RosterSet | undefined
  #source: RosterSource | undefined
  #agreedAt: number | undefined

  constructor(options: TrustOptions, deps: RosterInForceDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** A roster from the file counts until it is too old or another one replaces it. */
  get roster(): Roster | undefined {
    return this.#source === 'file' && this.#isTooOld() ? undefined : this.#roster
  }

  get source(): RosterSource | undefined {
    return this.#source
  }

  /** Milliseconds since a quorum last confirmed the set. */
  get ageMs(): number | undefined {
    return this.#agreedAt === undefined ? undefined : this.#deps.clock.now() - this.#agreedAt
  }

  /** Forms the roster of an agreed set. */
  formed(set: RosterSet): Roster {
    const { trust, svNames } = this.#options
    return new Roster(trustedPart(set, trust, svNames), trust)
  }

  isLargeEnough({ size }: Roster): boolean {
    return size >= this.#options.minimumVoters
  }

  /** @param set what was agreed; `roster` is formed of it. */
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

  /** A quorum of the members confirmed the set. */
  confirmed(set: RosterSet): void {
    this.#agreedSet = set
    this.#agreedAt = this.#deps.clock.now()
    this.#source = 'refresh'
  }

  /** Rosters that are formed from now on follow these options. */
  configure(options: TrustOptions): void {
    this.#options = options
  }

  /**
   * Forms the roster of the agreed set anew, so that no read begins under former options. Gives the roster up if it has
   * too few super validators now.
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
