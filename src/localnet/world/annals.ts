import { timeOf } from '../../registry/ledger/daml/time.ts'
import {
  type Contract,
  type ContractWithState,
  createContract,
  type Identifiers,
  type Json,
  type JsonObject,
  type Micros,
} from './contract.ts'
import type { RecordedTransaction } from './history.ts'
import type { Rounds } from './mining-rounds.ts'
import { assignedContract, type DsoFacts, type Network, sequencerOf } from './network.ts'
import { type ServedContract, servedContract } from './snapshots.ts'

export interface Pending {
  readonly contractId: string
}

/** Content that does not change while the localnet runs. */
export interface Established {
  readonly externalPartyRules: ContractWithState
  readonly featuredApps: readonly Contract[]
  readonly preapprovals: readonly ContractWithState[]
  readonly counters: readonly ContractWithState[]
  readonly commands: readonly { readonly contract: Contract; readonly status: Json }[]
  readonly coupons: readonly ContractWithState[]
  readonly licenses: readonly Contract[]
  readonly voteRequests: readonly Contract[]
  readonly voteResults: readonly JsonObject[]
  readonly priceVotes: readonly Contract[]
  readonly sequencers: readonly ReturnType<typeof sequencerOf>[]
  readonly instructions: readonly Pending[]
  readonly allocations: readonly Pending[]
  /** All coins of a made-up network. Empty if the content is read from a ledger. */
  readonly coins: readonly ServedContract[]
  readonly updates: readonly RecordedTransaction[]
}

/** Content that nodes serve besides names, the list of scans, and the rules for names and coin. */
export interface Annals extends Established, Rounds {}

export interface AnnalsFacts extends DsoFacts {
  readonly startedAt: Micros
  readonly foundedAt: Micros
  readonly latestNumber: number
  readonly parties: ReadonlyMap<string, string>
}

const second = 1_000_000
const minute = 60 * second

/** A new ledger has none of these contracts. */
export const noAnnals = {
  featuredApps: [],
  preapprovals: [],
  counters: [],
  commands: [],
  coupons: [],
  voteRequests: [],
  voteResults: [],
  instructions: [],
  allocations: [],
  coins: [],
  updates: [],
} satisfies Partial<Established>

/** From `first` to `last`, each validator received a coupon for every mining round but `missed` of them. */
interface Faucets {
  readonly validators: readonly string[]
  readonly first: number
  readonly last: number
  readonly missed: number
  readonly lastActiveAt: Micros
}

export function establishedBy(
  identifiers: Identifiers,
  facts: DsoFacts,
  founded: Micros,
  { validators, first, last, missed, lastActiveAt }: Faucets,
): Pick<Established, 'externalPartyRules' | 'priceVotes' | 'sequencers' | 'licenses'> {
  const { dso, members } = facts
  const sponsor = members[0]?.party ?? dso
  const license = `${identifiers.hex(64)}:Splice.ValidatorLicense:ValidatorLicense`
  const faucetState = {
    firstReceivedFor: { number: String(first) },
    lastReceivedFor: { number: String(last) },
    numCouponsMissed: String(missed),
  }
  const vote = `${identifiers.hex(64)}:Splice.DSO.AmuletPrice:AmuletPriceVote`
  return {
    externalPartyRules: assignedContract(identifiers, facts, {
      template: 'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
      payload: { dso },
      createdAt: founded,
    }),
    priceVotes: members.map(({ party }) =>
      createContract(
        identifiers,
        vote,
        { dso, sv: party, amuletPrice: '0.005', lastUpdatedAt: timeOf(founded + minute) },
        founded + minute,
      ),
    ),
    sequencers: members.map((member) => sequencerOf(member, founded)),
    licenses: validators.map((validator) => {
      const payload = {
        dso,
        validator,
        sponsor,
        faucetState,
        metadata: null,
        lastActiveAt: timeOf(lastActiveAt),
      }
      return createContract(identifiers, license, payload, founded)
    }),
  }
}

/**
 * The contracts that all snapshots contain. They are made up even if the localnet reads a ledger,
 * because the ledger does not have them.
 */
export function establishedContracts(
  { dsoParty, dsoRules, svNodeStates }: Pick<Network, 'dsoParty' | 'dsoRules' | 'svNodeStates'>,
  { externalPartyRules, priceVotes, licenses }: Established,
): readonly ServedContract[] {
  const signed = (contract: Contract) => servedContract(contract, dsoParty)
  const rules = [dsoRules, ...svNodeStates, externalPartyRules]
  return [
    ...rules.map(({ contract }) => signed(contract)),
    ...priceVotes.map(signed),
    ...licenses.map((license) => servedContract(license, dsoParty, [String(license.payload['validator'])])),
  ]
}
