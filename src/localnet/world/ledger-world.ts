import type { Clock } from '../../base/lib/clock.ts'
import { seededRandom } from '../../base/lib/random.ts'
import { contractJson } from '../../registry/ledger/contract-json.ts'
import { AmuletRules } from '../../registry/ledger/daml/splice/amulet-rules.ts'
import { type AnsEntry as AnsEntryTemplate, AnsRules } from '../../registry/ledger/daml/splice/ans.ts'
import { OpenMiningRound } from '../../registry/ledger/daml/splice/round.ts'
import type { ContractOf, Template } from '../../registry/ledger/daml/template.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import type { ContractFrom, EntryFilter } from '../../registry/ledger/ledger.ts'
import type { DamlRecord } from '../../registry/ledger/value.ts'
import { type Established, establishedBy, establishedContracts, noAnnals } from './annals.ts'
import { comparisons } from './collation.ts'
import { Identifiers, type Micros, microsOf } from './contract.ts'
import { ledgerContracts, ledgerHistory } from './ledger-past.ts'
import { MiningRounds, numberOf } from './mining-rounds.ts'
import { type AnsEntry, type Founding, hostsOf, Network, type NetworkOptions } from './network.ts'
import type { NodeTraits, NodeView, SeenNetwork } from './node-view.ts'
import { rememberingSnapshots, snapshotsOnGrid } from './snapshots.ts'

interface LedgerWorldDeps {
  readonly ledger: EmbeddedLedger
  readonly clock: Clock
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
export class LedgerWorld extends Network implements SeenNetwork {
  readonly #ledger: EmbeddedLedger
  readonly #clock: Clock
  readonly #foundedAt: Micros
  readonly #established: Established
  readonly #rounds: MiningRounds
  readonly #hosts: ReadonlyMap<string, readonly string[]>
  readonly #snapshots: ReturnType<typeof rememberingSnapshots>

  private constructor(
    options: NetworkOptions,
    { foundedAt, ...founding }: Omit<Founding, 'startedAt'>,
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
    const validators = facts.members.map(({ party }) => party)
    this.#established = {
      ...noAnnals,
      ...establishedBy(identifiers, facts, before, {
        validators,
        first: 0,
        last: 0,
        missed: 0,
        lastActiveAt: before,
      }),
    }
    const providers = validators.slice(0, 2)
    this.#rounds = new MiningRounds({ ...facts, seed: seed + 1, firstRewarded: 0, providers })
    this.#hosts = hostsOf(facts, [], '')
    const lasting = establishedContracts(this, this.#established)
    this.#snapshots = rememberingSnapshots((at) => ledgerContracts(ledger, this.dsoParty, lasting, at))
  }

  /** Rejects if the ledger has no `AnsRules`, the rules for names. */
  static async on(options: NetworkOptions, deps: LedgerWorldDeps): Promise<LedgerWorld> {
    return new LedgerWorld(options, await foundingOf(deps.ledger), deps)
  }

  seenBy({ lagMs, skewMs, settlingMs = 0, collation }: NodeTraits): NodeView {
    const ledger = this.#ledger
    const now = () => microsOf(this.#clock.wall() + skewMs)
    /** Undefined for a node that has the whole ledger. */
    const ingested = () => (lagMs === 0 ? undefined : microsOf(this.#clock.wall() - lagMs))
    const compare = comparisons[collation]
    const entries = async (filter: EntryFilter) => {
      const found = await ledger.entries({ ...filter, notExpiredAt: now(), asOf: ingested() })
      return found.map(ansEntry).sort((a, b) => compare(a.name, b.name))
    }
    const contracts = async <A extends DamlRecord>(template: Template<A>, limit: number) => {
      const found = await ledger.contracts({ template: template.name }, limit, ingested())
      return found.map((contract) => ({
        contract: contractJson(template, contract as ContractOf<A>),
        domain_id: this.synchronizer,
      }))
    }
    return {
      entryByName: async (name) => (await entries({ name, limit: 1 }))[0],
      entryByParty: async (user) => (await entries({ user, limit: longestPage }))[0],
      // Reads only the first thousand names with the prefix, and never returns the others.
      entries: async (prefix, limit) => (await entries({ prefix, limit: longestPage })).slice(0, limit),
      ansRules: async () => (await contracts(AnsRules, 1))[0],
      amuletRules: async () => (await contracts(AmuletRules, 1))[0],
      history: () => ledgerHistory(ledger, this.dsoParty, ingested()),
      snapshots: () => {
        const latest = microsOf(this.#clock.wall() - lagMs - settlingMs)
        return snapshotsOnGrid({ foundedAt: this.#foundedAt, latest }, this.#snapshots)
      },
      participants: (party) => this.#hosts.get(party) ?? this.#hostOf(party, ingested()),
      annals: async () => {
        const open = await contracts(OpenMiningRound, mostRounds)
        open.sort((a, b) => numberOf(a) - numberOf(b))
        return { ...this.#established, ...this.#rounds.after(open, now()) }
      },
    }
  }

  async #hostOf(party: string, ingested: Micros | undefined): Promise<readonly string[]> {
    const allocated = await this.#ledger.allocatedAt(party)
    const end = ingested === undefined ? Number.POSITIVE_INFINITY : await this.#ledger.offsetAt(ingested)
    return allocated === undefined || allocated > end ? [] : [`PAR::${this.#ledger.participantId}`]
  }
}

async function foundingOf(ledger: EmbeddedLedger): Promise<Omit<Founding, 'startedAt'>> {
  const [rules] = await ledger.contracts({ template: AnsRules.name }, 1)
  const [first] = await ledger.updates(0, 1, 1)
  const dsoParty = rules?.signatories[0]
  if (rules === undefined || dsoParty === undefined || first === undefined) {
    throw new Error('the ledger has no rules for names')
  }
  return { dsoParty, synchronizer: first.synchronizerId, foundedAt: rules.createdAt }
}

function ansEntry({ contractId, argument }: ContractFrom<typeof AnsEntryTemplate>): AnsEntry {
  const { user, name, url, description, expiresAt } = argument
  return { contract_id: contractId, user, name, url, description, expires_at: expiresAt }
}
