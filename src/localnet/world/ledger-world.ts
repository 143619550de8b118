import { type ContractJson, contractJson } from '../../ledger/contract-json.ts'
import { AmuletRules } from '../../ledger/daml/splice/amulet-rules.ts'
import { AnsRules } from '../../ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../ledger/daml/splice/round.ts'
import type { ContractOf, Template } from '../../ledger/daml/template.ts'
import type { EmbeddedLedger } from '../../ledger/embedded/embedded-ledger.ts'
import type { ActiveEntry, EntryFilter } from '../../ledger/ledger.ts'
import type { DamlRecord } from '../../ledger/value.ts'
import type { Clock } from '../../lib/clock.ts'
import { seededRandom } from '../../lib/random.ts'
import { type Annals, establishedBy, establishedContracts, noAnnals, validatorLicense } from './annals.ts'
import { comparison } from './collation.ts'
import {
  type ContractWithState,
  createContract,
  Identifiers,
  isoTime,
  type Micros,
  microsOf,
} from './contract.ts'
import type { History } from './history.ts'
import { ledgerContracts, ledgerHistory, type SnapshotLedger } from './ledger-past.ts'
import { MiningRounds, numberOf, rewardsUpTo, usableRound } from './mining-rounds.ts'
import { type AnsEntry, type DsoFacts, hostsOf, MadeUpNetwork, type NetworkOptions } from './network.ts'
import type { NodeTraits, Registry } from './registry.ts'
import { KeptSnapshots, type Snapshots, snapshotsOnGrid } from './snapshots.ts'

export interface ReadLedger extends SnapshotLedger, Pick<EmbeddedLedger, 'contracts' | 'entries'> {
  readonly participantId: string
  allocatedAt(party: string): Promise<number | undefined>
}

export interface LedgerWorldOptions extends NetworkOptions {
  readonly seed: number
}

interface LedgerWorldDeps {
  readonly ledger: ReadLedger
  readonly clock: Clock
}

interface Founding {
  readonly dsoParty: string
  readonly synchronizer: string
  readonly foundedAt: Micros
}

const mostRounds = 100
/**
 * All made-up contracts are created in the two minutes (in microseconds) before the ledger's rules
 * for names. Every snapshot is later, and so contains them.
 */
const madeUpAge: Micros = 120_000_000
const longestPage = 1000

/**
 * A network whose content is read from a ledger whenever it is needed. Its super validators are
 * made up, because the ledger does not know them.
 */
export class LedgerWorld extends MadeUpNetwork implements Registry {
  readonly #ledger: ReadLedger
  readonly #clock: Clock
  readonly #foundedAt: Micros
  readonly #established: Annals
  readonly #rounds: MiningRounds
  readonly #hosts: ReadonlyMap<string, readonly string[]>
  readonly #snapshots: KeptSnapshots

  private constructor(
    options: LedgerWorldOptions,
    { foundedAt, ...founding }: Founding,
    { ledger, clock }: LedgerWorldDeps,
  ) {
    const { seed } = options
    const identifiers = new Identifiers(seededRandom(seed))
    const before = foundedAt - madeUpAge
    super(identifiers, options, { ...founding, startedAt: microsOf(clock.wall()), foundedAt: before })
    this.#ledger = ledger
    this.#clock = clock
    this.#foundedAt = foundedAt
    const { facts } = this
    this.#established = {
      ...noAnnals,
      ...establishedBy(identifiers, facts, before),
      licenses: licensesOf(identifiers, facts, before),
    }
    this.#rounds = new MiningRounds({ ...facts, seed: seed + 1 })
    this.#hosts = hostsOf(facts, [], '')
    const lasting = establishedContracts(this, this.#established)
    this.#snapshots = new KeptSnapshots((at) => ledgerContracts(ledger, this.dsoParty, lasting, at))
  }

  /** Rejects if the ledger has no `AnsRules`, the rules for names. */
  static async on(options: LedgerWorldOptions, deps: LedgerWorldDeps): Promise<LedgerWorld> {
    return new LedgerWorld(options, await foundingOf(deps.ledger), deps)
  }

  async userEntryByName(name: string, traits: NodeTraits): Promise<AnsEntry | undefined> {
    const [entry] = await this.#entries({ name, limit: 1 }, traits)
    return entry
  }

  async userEntryByParty(party: string, traits: NodeTraits): Promise<AnsEntry | undefined> {
    const [first] = await this.#entries({ user: party, limit: longestPage }, traits)
    return first
  }

  /**
   * Returns entries whose names have the prefix, in the order of the node's collation. The method
   * reads only the first thousand such names in code-point order, and never returns the others.
   */
  async userEntries(prefix: string, limit: number, traits: NodeTraits): Promise<readonly AnsEntry[]> {
    return (await this.#entries({ prefix, limit: longestPage }, traits)).slice(0, limit)
  }

  async ansRulesIn(traits: NodeTraits): Promise<ContractWithState | undefined> {
    const [rules] = await this.#contracts(AnsRules, 1, traits)
    return rules && this.#assigned(contractJson(AnsRules, rules))
  }

  async amuletRulesIn(traits: NodeTraits): Promise<ContractWithState | undefined> {
    const [rules] = await this.#contracts(AmuletRules, 1, traits)
    return rules && this.#assigned(contractJson(AmuletRules, rules))
  }

  async latestMiningRoundIn(traits: NodeTraits): Promise<ContractWithState | undefined> {
    return (await this.#openRounds(traits)).at(-1)
  }

  historyIn({ lagMs }: NodeTraits): History {
    return ledgerHistory(this.#ledger, this.dsoParty, this.#ingested(lagMs).asOf)
  }

  snapshotsIn({ lagMs, settlingMs = 0 }: NodeTraits): Snapshots {
    const latest = microsOf(this.#clock.wall() - lagMs - settlingMs)
    return snapshotsOnGrid({ foundedAt: this.#foundedAt, latest }, (at) => this.#snapshots.at(at))
  }

  async participantsIn(party: string, { lagMs }: NodeTraits): Promise<readonly string[]> {
    const known = this.#hosts.get(party)
    if (known !== undefined) return known
    const { asOf } = this.#ingested(lagMs)
    const allocated = await this.#ledger.allocatedAt(party)
    if (allocated === undefined) return []
    const isIngested = asOf === undefined || allocated <= (await this.#ledger.offsetAt(asOf))
    return isIngested ? [`PAR::${this.#ledger.participantId}`] : []
  }

  async annalsIn(traits: NodeTraits): Promise<Annals> {
    const { open, issuing, closed } = this.#rounds.after(await this.#openRounds(traits))
    const providers = this.facts.members.slice(0, 2).map(({ party }) => party)
    return {
      ...this.#established,
      openRounds: open,
      usableRound: usableRound(open, microsOf(this.#clock.wall() + traits.skewMs)),
      issuingRounds: issuing,
      closedRounds: closed,
      rewards: () => rewardsUpTo(closed, 0, providers),
    }
  }

  async #openRounds(traits: NodeTraits): Promise<readonly ContractWithState[]> {
    const rounds = await this.#contracts(OpenMiningRound, mostRounds, traits)
    return rounds
      .map((round) => this.#assigned(contractJson(OpenMiningRound, round)))
      .toSorted((a, b) => numberOf(a) - numberOf(b))
  }

  async #entries(
    filter: EntryFilter,
    { lagMs, skewMs, collation }: NodeTraits,
  ): Promise<readonly AnsEntry[]> {
    const notExpiredAt = microsOf(this.#clock.wall() + skewMs)
    const found = await this.#ledger.entries({ ...filter, notExpiredAt, ...this.#ingested(lagMs) })
    const compare = comparison(collation)
    return found.toSorted((a, b) => compare(a.name, b.name)).map(ansEntry)
  }

  async #contracts<A extends DamlRecord>(
    { name: template }: Template<A>,
    limit: number,
    { lagMs }: NodeTraits,
  ): Promise<readonly ContractOf<A>[]> {
    const { asOf } = this.#ingested(lagMs)
    const contracts = await this.#ledger.contracts({ template }, limit, asOf)
    return contracts as readonly ContractOf<A>[]
  }

  #ingested(lagMs: number): { readonly asOf?: Micros } {
    return lagMs === 0 ? {} : { asOf: microsOf(this.#clock.wall() - lagMs) }
  }

  #assigned(contract: ContractJson): ContractWithState {
    return {
      contract: contract as ContractWithState['contract'],
      domain_id: this.synchronizer,
    }
  }
}

function licensesOf(identifiers: Identifiers, { dso, members }: DsoFacts, foundedAt: Micros) {
  const template = `${identifiers.hex(64)}:Splice.ValidatorLicense:ValidatorLicense`
  return members.map(({ party }) => {
    const parties = { dso, validator: party, sponsor: party }
    const payload = validatorLicense(parties, { first: 0, last: 0, missed: 0 }, foundedAt)
    return createContract(identifiers, template, payload, foundedAt)
  })
}

async function foundingOf(ledger: ReadLedger): Promise<Founding> {
  const [rules] = await ledger.contracts({ template: AnsRules.name }, 1)
  const [first] = await ledger.updates(0, 1, 1)
  const dsoParty = rules?.signatories[0]
  if (rules === undefined || dsoParty === undefined || first === undefined) {
    throw new Error('the ledger has no rules for names')
  }
  return { dsoParty, synchronizer: first.synchronizerId, foundedAt: rules.createdAt }
}

function ansEntry({ contractId, user, name, expiresAt, contract: { argument } }: ActiveEntry): AnsEntry {
  return {
    contract_id: contractId,
    user,
    name,
    url: textOf(argument['url']),
    description: textOf(argument['description']),
    expires_at: isoTime(expiresAt),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
