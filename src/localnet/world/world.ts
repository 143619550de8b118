import type { Clock } from '../../lib/clock.ts'
import { seededRandom } from '../../lib/random.ts'
import { byCodePoint, type Collation, comparison } from './collation.ts'
import { type ContractWithState, createContract } from './contract.ts'
import { type DsoFacts, dsoRules, type Member, openMiningRound, svNodeState } from './dso.ts'
import { type AnsEntry, syntheticEntry } from './entry.ts'
import { Identifiers } from './identifiers.ts'
import { isoTime, type Micros, microsOf } from './instant.ts'
import { registrations } from './people.ts'
import { amuletRules, ansRules } from './rules.ts'

/** One contract of an entry, and when the ledger held it: from `from`, and until before `until`. */
export interface Version {
  readonly entry: AnsEntry
  readonly expiresAt: Micros
  readonly from: Micros
  until: Micros
}

/** What a test registers. Times are milliseconds since 1970 UTC. */
export interface Registrable {
  readonly name: string
  readonly user: string
  readonly url?: string
  readonly description?: string
  readonly expiresAt: number
}

export interface WorldOptions {
  readonly seed: number
  readonly acronym: string
  /** Names and scan addresses of the super validators. */
  readonly superValidators: readonly { readonly name: string; readonly url: string }[]
}

const minute = 60_000_000
const day = 24 * 60 * minute
/** No node lags further behind than this. */
export const longestLagMs = 3_600_000

/**
 * What is on the ledger, and was: the one truth that all scan nodes of a localnet read. The same seed gives the
 * same world, apart from its times, which count from the clock's wall time at its start.
 */
export class World {
  readonly acronym: string
  readonly startedAt: Micros
  readonly dsoParty: string
  readonly synchronizer: string
  /** In the order of their names: `sv-1`, `sv-2`, ... */
  readonly members: readonly Member[]
  /** The entries of the DSO and, by party id, of the super validators. */
  readonly synthetic: readonly AnsEntry[]
  readonly ansRules: ContractWithState
  readonly amuletRules: ContractWithState
  readonly dsoRules: ContractWithState
  readonly latestMiningRound: ContractWithState
  readonly svNodeStates: readonly ContractWithState[]
  readonly #identifiers: Identifiers
  readonly #clock: Clock
  readonly #versions = new Map<string, Version[]>()
  readonly #sorted = new Map<Collation, readonly Version[]>()

  constructor({ seed, acronym, superValidators }: WorldOptions, { clock }: { readonly clock: Clock }) {
    this.#clock = clock
    this.#identifiers = new Identifiers(seededRandom(seed))
    this.acronym = acronym
    this.startedAt = microsOf(clock.wall())
    this.dsoParty = this.#identifiers.unique('DSO')
    this.synchronizer = this.#identifiers.unique('global-domain')
    this.members = superValidators.map(({ name, url }) => ({
      name,
      url,
      party: this.#identifiers.unique(name),
      participant: `PAR::${this.#identifiers.unique(name)}`,
    }))
    this.synthetic = [
      syntheticEntry(`dso.${acronym}`, this.dsoParty),
      ...this.membersByParty().map(({ name, party }) =>
        syntheticEntry(`${name.toLowerCase()}.sv.${acronym}`, party),
      ),
    ]

    const founded = this.startedAt - 200 * day - this.#identifiers.between(0, day)
    const facts: DsoFacts = {
      dso: this.dsoParty,
      synchronizer: this.synchronizer,
      members: this.membersByParty(),
    }
    this.ansRules = this.#contract('Splice.Ans:AnsRules', ansRules(this.dsoParty, acronym), founded)
    this.amuletRules = this.#contract(
      'Splice.AmuletRules:AmuletRules',
      amuletRules(this.dsoParty, this.synchronizer),
      founded,
    )
    this.dsoRules = this.#contract('Splice.DsoRules:DsoRules', dsoRules(facts), founded + minute)
    this.latestMiningRound = this.#contract(
      'Splice.Round:OpenMiningRound',
      openMiningRound(this.dsoParty, 28_813, this.startedAt - minute),
      this.startedAt - 11 * minute,
    )
    this.svNodeStates = facts.members.map((member) =>
      this.#contract('Splice.DSO.SvState:SvNodeState', svNodeState(facts, member, founded), founded + minute),
    )
    this.#populate()
  }

  membersByParty(): readonly Member[] {
    return this.members.toSorted((a, b) => byCodePoint(a.party, b.party))
  }

  /**
   * Registers a name, in place of an entry that has it. `at` is when the ledger took it, in milliseconds since
   * 1970 UTC: now, unless said otherwise.
   */
  put(registrable: Registrable, at: number = this.#clock.wall()): AnsEntry {
    const { name, user, url = '', description = '', expiresAt } = registrable
    return this.#add({ name, user, url, description }, microsOf(expiresAt), microsOf(at))
  }

  /** Gives an entry a later end and, as on the ledger, another contract id. Throws where the name is free. */
  renew(name: string, expiresAt: number, at: number = this.#clock.wall()): AnsEntry {
    const { user, url, description } = this.#get(name, microsOf(at)).entry
    return this.#add({ name, user, url, description }, microsOf(expiresAt), microsOf(at))
  }

  /** Archives an entry. Throws where the name is free. */
  remove(name: string, at: number = this.#clock.wall()): void {
    this.#get(name, microsOf(at))
    this.#close(name, microsOf(at))
  }

  /** Every version of an entry with exactly that name. */
  versionsOf(name: string): readonly Version[] {
    return this.#versions.get(name) ?? []
  }

  /** Every version of every entry, by name. */
  sorted(collation: Collation): readonly Version[] {
    const known = this.#sorted.get(collation)
    if (known !== undefined) return known
    const compare = comparison(collation)
    const sorted = [...this.#versions.values()].flat().sort((a, b) => compare(a.entry.name, b.entry.name))
    this.#sorted.set(collation, sorted)
    return sorted
  }

  #populate(): void {
    const parties = new Map<string, string>()
    for (const { label, owner, url, description, heldForMinutes } of registrations()) {
      const user = parties.get(owner) ?? this.#identifiers.unique(owner)
      parties.set(owner, user)
      const name = `${label}.unverified.${this.acronym}`
      const expiresAt = this.startedAt + heldForMinutes * minute + this.#identifiers.between(0, minute - 1)
      this.#add({ name, user, url, description }, expiresAt, Number.NEGATIVE_INFINITY)
    }
  }

  #contract(template: string, payload: ContractWithState['contract']['payload'], createdAt: Micros) {
    const templateId = `${this.#identifiers.hex(64)}:${template}`
    const created = createdAt + this.#identifiers.between(1, 999_999)
    return {
      contract: createContract(this.#identifiers, templateId, payload, created),
      domain_id: this.synchronizer,
    }
  }

  #add(
    held: Pick<AnsEntry, 'name' | 'user' | 'url' | 'description'>,
    expiresAt: Micros,
    from: Micros,
  ): AnsEntry {
    const entry: AnsEntry = {
      contract_id: this.#identifiers.contractId(),
      user: held.user,
      name: held.name,
      url: held.url,
      description: held.description,
      expires_at: isoTime(expiresAt),
    }
    const versions = this.#close(held.name, from)
    this.#versions.set(held.name, [...versions, { entry, expiresAt, from, until: Number.POSITIVE_INFINITY }])
    return entry
  }

  /** Ends what has the name at `at`, and forgets what no node can still see. */
  #close(name: string, at: Micros): readonly Version[] {
    const oldest = microsOf(this.#clock.wall() - longestLagMs)
    const kept = this.versionsOf(name).filter(({ from, until }) => from < at && until > oldest)
    for (const version of kept) version.until = Math.min(version.until, at)
    this.#versions.set(name, kept)
    this.#sorted.clear()
    return kept
  }

  #get(name: string, at: Micros): Version {
    const version = this.versionsOf(name).find(({ from, until }) => from <= at && at < until)
    if (version === undefined) throw new RangeError(`no entry has the name ${name}`)
    return version
  }
}
