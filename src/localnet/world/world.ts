import type { Clock } from '../../base/lib/clock.ts'
import { seededRandom } from '../../base/lib/random.ts'
import { nameServicePackage } from '../../registry/ledger/daml/packages.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import { initialAmuletRules, initialAnsRules } from '../../registry/ledger/initial-rules.ts'
import { type Annals, type Established, establishedContracts } from './annals.ts'
import { type Collation, comparisons } from './collation.ts'
import { type Contract, type ContractWithState, Identifiers, type Micros, microsOf } from './contract.ts'
import { historyOf } from './history.ts'
import { annalsOf } from './made-up-annals.ts'
import { MiningRounds } from './mining-rounds.ts'
import { type AnsEntry, assignedContract, hostsOf, Network, type NetworkOptions } from './network.ts'
import { type NodeTraits, type SeenNetwork, usualTraits } from './node-view.ts'
import { registrations } from './people.ts'
import {
  createdBefore,
  inOrderOfCreation,
  rememberingSnapshots,
  type ServedContract,
  servedContract,
  snapshotsOnGrid,
} from './snapshots.ts'

/** A name to register. Times are milliseconds since 1970 UTC. */
export interface Registrable {
  readonly name: string
  readonly user: string
  readonly url?: string
  readonly description?: string
  readonly expiresAt: number
}

export interface WorldOptions extends NetworkOptions {
  readonly amuletNameService?: string | undefined
}

/**
 * A version of an entry: the contract that the entry has from `from` (included) until `until`
 * (excluded). A renewal begins a new version.
 */
interface Version {
  readonly entry: AnsEntry
  readonly expiresAt: Micros
  readonly from: Micros
  until: Micros
}

const minute = 60_000_000
const hour = 60 * minute
const day = 24 * hour
const entryTemplate = `${nameServicePackage.id}:Splice.Ans:AnsEntry`
/** The number of the mining round that was created a minute before the world's start. */
const latestNumber = 28_813

/**
 * A made-up network with its present and past contracts. Equal seeds make equal worlds, except for
 * their times.
 */
export class World extends Network implements SeenNetwork {
  readonly ansRules: ContractWithState
  readonly amuletRules: ContractWithState
  readonly #annals: Established
  readonly #rounds: MiningRounds
  readonly #hosts: ReadonlyMap<string, readonly string[]>
  readonly #identifiers: Identifiers
  readonly #clock: Clock
  readonly #versions = new Map<string, Version[]>()
  readonly #sorted = new Map<Collation, readonly Version[]>()
  readonly #lasting: readonly ServedContract[]
  readonly #snapshots = rememberingSnapshots((at) => this.#contractsAt(at))

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
    const { dso, synchronizer } = facts
    const rulesOf = (template: string, payload: Contract['payload']) =>
      assignedContract(identifiers, facts, { template, payload, createdAt: founded })
    this.ansRules = rulesOf('Splice.Ans:AnsRules', initialAnsRules(dso, acronym))
    const amuletRules = initialAmuletRules(dso, synchronizer, amuletNameService)
    this.amuletRules = rulesOf('Splice.AmuletRules:AmuletRules', amuletRules)
    const parties = this.#populate()
    const annalsFacts = { ...facts, startedAt: this.startedAt, foundedAt: founded, latestNumber, parties }
    this.#annals = annalsOf(new Identifiers(seededRandom(seed + 1)), annalsFacts)
    const rules = [this.ansRules, this.amuletRules].map(({ contract }) => servedContract(contract, dso))
    this.#lasting = [...rules, ...establishedContracts(this, this.#annals), ...this.#annals.coins]
    const providers = ['acme-validator-1', 'kite-labs-validator'].flatMap((owner) => parties.get(owner) ?? [])
    const firstRewarded = latestNumber - 6
    this.#rounds = new MiningRounds({ ...facts, seed: seed + 2, firstRewarded, providers })
    const validator = `PAR::${this.#identifiers.unique('validator')}`
    this.#hosts = hostsOf(facts, [...parties.values()], validator)
  }

  /** The times of all snapshots, the oldest first. */
  get snapshotTimes(): readonly Micros[] {
    const snapshots = this.seenBy(usualTraits).snapshots()
    const times: Micros[] = []
    for (let at = snapshots.after(0); at !== undefined; at = snapshots.after(at)) times.push(at)
    return times
  }

  seenBy({ lagMs, skewMs, settlingMs = 0, collation }: NodeTraits) {
    const ingested = () => microsOf(this.#clock.wall() - lagMs)
    const now = () => microsOf(this.#clock.wall() + skewMs)
    const rounds = () => this.#rounds.at(ingested(), latestNumber, this.startedAt - minute, now())
    const seenNow = (versions: readonly Version[]) => {
      const [until, at] = [ingested(), now()]
      return versions.values().filter((one) => one.from <= until && until < one.until && one.expiresAt >= at)
    }
    const entriesOf = (versions: readonly Version[]) => seenNow(versions).map(({ entry }) => entry)
    return {
      entryByName: (name: string) => entriesOf(this.#versionsOf(name)).next().value,
      entryByParty: (party: string) => entriesOf(this.#inOrder(collation)).find(({ user }) => user === party),
      entries: (prefix: string, limit: number) =>
        entriesOf(this.#inOrder(collation))
          .filter(({ name }) => name.startsWith(prefix))
          .take(limit)
          .toArray(),
      ansRules: () => this.ansRules,
      amuletRules: () => this.amuletRules,
      history: () => historyOf(this.#annals.updates.filter(({ at }) => at <= ingested())),
      snapshots: () => {
        const span = { foundedAt: this.startedAt - 12 * hour, latest: ingested() - settlingMs * 1_000 }
        return snapshotsOnGrid(span, this.#snapshots)
      },
      participants: (party: string) => this.#hosts.get(party) ?? [],
      annals: (): Annals => ({ ...this.#annals, ...rounds() }),
    }
  }

  /**
   * Registers a name. If the name has an entry, the new entry replaces it: this renews
   * the name, or removes it if `expiresAt` is over.
   * @param at the time of registration, milliseconds since 1970 UTC; the present time by default.
   */
  put(registrable: Registrable, at: number = this.#clock.wall()): AnsEntry {
    const { name, user, url = '', description = '', expiresAt } = registrable
    return this.#add({ name, user, url, description }, microsOf(expiresAt), microsOf(at))
  }

  #versionsOf(name: string): readonly Version[] {
    return this.#versions.get(name) ?? []
  }

  #inOrder(collation: Collation): readonly Version[] {
    const known = this.#sorted.get(collation)
    if (known !== undefined) return known
    const compare = comparisons[collation]
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
      this.#add(
        { name, user, url, description },
        expiresAt,
        Math.min(expiresAt - 90 * day, this.startedAt - day),
      )
    }
    return parties
  }

  #add(
    { user, name, url, description }: Pick<AnsEntry, 'name' | 'user' | 'url' | 'description'>,
    expiresAt: Micros,
    from: Micros,
  ): AnsEntry {
    const contract_id = this.#identifiers.contractId()
    const entry: AnsEntry = { contract_id, user, name, url, description, expires_at: timeOf(expiresAt) }
    const version = { entry, expiresAt, from, until: Number.POSITIVE_INFINITY }
    this.#versions.set(name, [...this.#close(name, from), version])
    return entry
  }

  /**
   * Ends the version of the name at the time `at`. Drops the versions that begin then or later.
   * @returns the versions that remain.
   */
  #close(name: string, at: Micros): readonly Version[] {
    const kept = this.#versionsOf(name).filter(({ from }) => from < at)
    for (const version of kept) version.until = Math.min(version.until, at)
    this.#versions.set(name, kept)
    this.#sorted.clear()
    return kept
  }

  #contractsAt(at: Micros): readonly ServedContract[] {
    const held = [...this.#versions.values()]
      .flat()
      .filter(({ from, until, expiresAt }) => from < at && at <= until && expiresAt >= at)
    const served = held.map((version) => this.#served(version))
    return inOrderOfCreation([...createdBefore(this.#lasting, at), ...served])
  }

  #served({ entry, expiresAt, from }: Version): ServedContract {
    const { dsoParty: dso } = this
    const { user, name, url, description, contract_id: contractId } = entry
    const contract = {
      template_id: entryTemplate,
      contract_id: String(contractId),
      payload: { user, dso, name, url, description, expiresAt: timeOf(expiresAt) },
      created_at: timeOf(from),
    }
    return { ...servedContract(contract, dso), signatories: [dso, user].sort() }
  }
}
