import { initialAmuletRules, initialAnsRules } from '../../ledger/initial-rules.ts'
import type { Clock } from '../../lib/clock.ts'
import { seededRandom } from '../../lib/random.ts'
import { type Annals, establishedContracts } from './annals.ts'
import { type Collation, comparison } from './collation.ts'
import { type ContractWithState, Identifiers, isoTime, type Micros, microsOf } from './contract.ts'
import { type History, historyOf } from './history.ts'
import { annalsOf } from './made-up-annals.ts'
import { MiningRounds, RoundRewards, type Rounds, usableRound } from './mining-rounds.ts'
import { type AnsEntry, assignedContract, hostsOf, MadeUpNetwork, type NetworkOptions } from './network.ts'
import { registrations } from './people.ts'
import { type NodeTraits, type Registry, usualTraits } from './registry.ts'
import { type Snapshots, servedContract } from './snapshots.ts'
import { type Version, WorldSnapshots } from './world-snapshots.ts'

/** A name to register. Times are milliseconds since 1970 UTC. */
export interface Registrable {
  readonly name: string
  readonly user: string
  readonly url?: string
  readonly description?: string
  readonly expiresAt: number
}

export interface WorldOptions extends NetworkOptions {
  readonly seed: number
  readonly amuletNameService?: string | undefined
}

const minute = 60_000_000
const day = 24 * 60 * minute
/** The number of the mining round that was created a minute before the world's start. */
const latestNumber = 28_813
export const longestLagMs = 3_600_000

/**
 * A made-up network with its present and past contracts. Equal seeds make equal worlds, except for
 * their times.
 */
export class World extends MadeUpNetwork implements Registry {
  readonly ansRules: ContractWithState
  readonly amuletRules: ContractWithState
  readonly #annals: Annals
  readonly #rounds: MiningRounds
  readonly #rewards: RoundRewards
  readonly #hosts: ReadonlyMap<string, readonly string[]>
  readonly #identifiers: Identifiers
  readonly #clock: Clock
  readonly #versions = new Map<string, Version[]>()
  readonly #sorted = new Map<Collation, readonly Version[]>()
  readonly #snapshots: WorldSnapshots

  constructor(options: WorldOptions, { clock }: { readonly clock: Clock }) {
    const { seed, acronym, amuletNameService } = options
    const identifiers = new Identifiers(seededRandom(seed))
    const startedAt = microsOf(clock.wall())
    const founded = startedAt - 200 * day - identifiers.between(0, day)
    super(identifiers, options, {
      startedAt,
      dsoParty: identifiers.unique('DSO'),
      synchronizer: identifiers.unique('global-domain'),
      foundedAt: founded,
    })
    this.#clock = clock
    this.#identifiers = identifiers
    const { facts } = this
    this.ansRules = this.#contract('Splice.Ans:AnsRules', initialAnsRules(this.dsoParty, acronym), founded)
    this.amuletRules = this.#contract(
      'Splice.AmuletRules:AmuletRules',
      initialAmuletRules(this.dsoParty, this.synchronizer, amuletNameService),
      founded,
    )
    this.#snapshots = new WorldSnapshots(this)
    const parties = this.#populate()
    const annalsFacts = { ...facts, startedAt: this.startedAt, foundedAt: founded, latestNumber, parties }
    this.#annals = annalsOf(new Identifiers(seededRandom(seed + 1)), annalsFacts)
    const rules = [this.ansRules, this.amuletRules].map(({ contract }) =>
      servedContract(contract, this.dsoParty),
    )
    this.#snapshots.setConstantContracts([
      ...rules,
      ...establishedContracts(this, this.#annals),
      ...this.#annals.coins,
    ])
    this.#rounds = new MiningRounds({ ...facts, seed: seed + 2 })
    const providers = ['acme-validator-1', 'kite-labs-validator'].flatMap((owner) => parties.get(owner) ?? [])
    this.#rewards = new RoundRewards(latestNumber - 6, providers)
    const validator = `PAR::${this.#identifiers.unique('validator')}`
    this.#hosts = hostsOf(facts, [...parties.values()], validator)
  }

  get annals(): Annals {
    return this.annalsIn(usualTraits)
  }

  userEntryByName(name: string, traits: NodeTraits): AnsEntry | undefined {
    return this.#versionsOf(name).find(this.#sees(traits))?.entry
  }

  userEntryByParty(party: string, traits: NodeTraits): AnsEntry | undefined {
    const sees = this.#sees(traits)
    return this.#inOrder(traits.collation).find((version) => version.entry.user === party && sees(version))
      ?.entry
  }

  userEntries(prefix: string, limit: number, traits: NodeTraits): readonly AnsEntry[] {
    const sees = this.#sees(traits)
    const found: AnsEntry[] = []
    for (const version of this.#inOrder(traits.collation)) {
      if (found.length === limit) return found
      if (version.entry.name.startsWith(prefix) && sees(version)) found.push(version.entry)
    }
    return found
  }

  ansRulesIn(): ContractWithState {
    return this.ansRules
  }

  amuletRulesIn(): ContractWithState {
    return this.amuletRules
  }

  latestMiningRoundIn(traits: NodeTraits): ContractWithState | undefined {
    return this.#roundsIn(traits).open.at(-1)
  }

  historyIn({ lagMs }: NodeTraits): History {
    const ingested = microsOf(this.#clock.wall() - lagMs)
    return historyOf(this.#annals.updates.filter(({ at }) => at <= ingested))
  }

  snapshotsIn({ lagMs, settlingMs = 0 }: NodeTraits): Snapshots {
    return this.#snapshots.upTo(microsOf(this.#clock.wall() - lagMs - settlingMs))
  }

  /** The times of all snapshots, the oldest first. */
  get snapshotTimes(): readonly Micros[] {
    const snapshots = this.snapshotsIn(usualTraits)
    const times: Micros[] = []
    for (let at = snapshots.after(0); at !== undefined; at = snapshots.after(at)) times.push(at)
    return times
  }

  participantsIn(party: string): readonly string[] {
    return this.#hosts.get(party) ?? []
  }

  annalsIn(traits: NodeTraits): Annals {
    const { open, issuing, closed } = this.#roundsIn(traits)
    return {
      ...this.#annals,
      openRounds: open,
      usableRound: usableRound(open, microsOf(this.#clock.wall() + traits.skewMs)),
      issuingRounds: issuing,
      closedRounds: closed,
      rewards: this.#rewards.upTo(closed),
    }
  }

  #roundsIn({ lagMs }: NodeTraits): Rounds {
    return this.#rounds.at(microsOf(this.#clock.wall() - lagMs), latestNumber, this.startedAt - minute)
  }

  /**
   * Registers a name. If the name has an entry, the new entry replaces it.
   * @param at the time of registration, milliseconds since 1970 UTC; the present time by default.
   */
  put(registrable: Registrable, at: number = this.#clock.wall()): AnsEntry {
    const { name, user, url = '', description = '', expiresAt } = registrable
    return this.#add({ name, user, url, description }, microsOf(expiresAt), microsOf(at))
  }

  /**
   * The entry gets another expiry and, as on a ledger, another contract id.
   * @param at the time of the renewal, milliseconds since 1970 UTC; the present time by default.
   * @throws RangeError if nobody has the name.
   */
  renew(name: string, expiresAt: number, at: number = this.#clock.wall()): AnsEntry {
    const { user, url, description } = this.#get(name, microsOf(at)).entry
    return this.#add({ name, user, url, description }, microsOf(expiresAt), microsOf(at))
  }

  /**
   * @param at the time of the archival, milliseconds since 1970 UTC; the present time by default.
   * @throws RangeError if nobody has the name.
   */
  remove(name: string, at: number = this.#clock.wall()): void {
    this.#get(name, microsOf(at))
    this.#close(name, microsOf(at))
  }

  #sees({ lagMs, skewMs }: NodeTraits): (version: Version) => boolean {
    const wall = this.#clock.wall()
    const ingested = microsOf(wall - lagMs)
    const now = microsOf(wall + skewMs)
    return ({ from, until, expiresAt }) => from <= ingested && ingested < until && expiresAt >= now
  }

  #versionsOf(name: string): readonly Version[] {
    return this.#versions.get(name) ?? []
  }

  #inOrder(collation: Collation): readonly Version[] {
    const known = this.#sorted.get(collation)
    if (known !== undefined) return known
    const compare = comparison(collation)
    const sorted = [...this.#versions.values()].flat().sort((a, b) => compare(a.entry.name, b.entry.name))
    this.#sorted.set(collation, sorted)
    return sorted
  }

  #populate(): ReadonlyMap<string, string> {
    const parties = new Map<string, string>()
    for (const { label, owner, url, description, heldForMinutes } of registrations()) {
      const user = parties.get(owner) ?? this.#identifiers.unique(owner)
      parties.set(owner, user)
      const name = `${label}.unverified.${this.acronym}`
      const expiresAt = this.startedAt + heldForMinutes * minute + this.#identifiers.between(0, minute - 1)
      this.#add({ name, user, url, description }, expiresAt, Number.NEGATIVE_INFINITY)
    }
    return parties
  }

  #contract(template: string, payload: ContractWithState['contract']['payload'], createdAt: Micros) {
    return assignedContract(this.#identifiers, this, { template, payload, createdAt })
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
    const version = { entry, expiresAt, from, until: Number.POSITIVE_INFINITY }
    this.#versions.set(held.name, [...versions, version])
    this.#snapshots.record(version)
    return entry
  }

  /**
   * Ends the version of the name at the time `at`. Drops the versions that begin then or later, and
   * those that ended so long ago that no node can see them.
   * @returns the versions that remain.
   */
  #close(name: string, at: Micros): readonly Version[] {
    const oldest = microsOf(this.#clock.wall() - longestLagMs)
    const held = this.#versionsOf(name)
    for (const version of held) version.until = Math.min(version.until, at)
    const kept = held.filter(({ from, until }) => from < at && until > oldest)
    this.#versions.set(name, kept)
    this.#sorted.clear()
    return kept
  }

  #get(name: string, at: Micros): Version {
    const version = this.#versionsOf(name).find(({ from, until }) => from <= at && at < until)
    if (version === undefined) throw new RangeError(`no entry has the name ${name}`)
    return version
  }
}
