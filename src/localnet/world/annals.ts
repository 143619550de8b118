import { type Coin, coinsOf, type Snapshot } from './coins.ts'
import { type Contract, type ContractWithState, createContract, type Json } from './contract.ts'
import { type DsoFacts, type Member, type Sequencer, sequencerOf } from './dso.ts'
import { type Recorded, updatesOf } from './history.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { assignedContract } from './network.ts'
import type { Rewards } from './rewards.ts'

/** A transfer that waits for its receiver to accept, or coin that is set aside for a settlement. */
export interface Pending {
  readonly contractId: string
}

/**
 * The content that scan nodes serve in addition to names, the rules in `View` and the list of nodes. Examples are
 * rounds, rewards, votes and coupons.
 */
export interface Annals {
  readonly openRounds: readonly ContractWithState[]
  /** The newest open round whose `opensAt` has come by the node's clock; undefined if there is none. */
  readonly usableRound: ContractWithState | undefined
  readonly issuingRounds: readonly ContractWithState[]
  readonly closedRounds: readonly Contract[]
  /** The rules for external parties. Undefined only in `noAnnals`. */
  readonly externalPartyRules: ContractWithState | undefined
  readonly featuredApps: readonly Contract[]
  readonly preapprovals: readonly ContractWithState[]
  readonly counters: readonly ContractWithState[]
  readonly commands: readonly { readonly contract: Contract; readonly status: Json }[]
  readonly coupons: readonly ContractWithState[]
  readonly licenses: readonly Contract[]
  readonly voteRequests: readonly Contract[]
  readonly voteResults: readonly { readonly [key: string]: Json }[]
  readonly priceVotes: readonly Contract[]
  readonly sequencers: readonly Sequencer[]
  readonly rewards: readonly Rewards[]
  readonly instructions: readonly Pending[]
  readonly allocations: readonly Pending[]
  /** All coins of a made-up network. Empty for a network whose content is read from a ledger. */
  readonly coins: readonly Coin[]
  /** The coins at the time of each snapshot, earliest first. Empty if `coins` is empty. */
  readonly snapshots: readonly Snapshot[]
  /** The updates of a made-up network, in the order of record time. Empty if `coins` is empty. */
  readonly updates: readonly Recorded[]
}

export interface AnnalsFacts extends DsoFacts {
  readonly startedAt: Micros
  readonly foundedAt: Micros
  /** The number of the round that was created last. */
  readonly latestNumber: number
  /** The party ids, by the identifier of the party: `alice`, `bob`, ... */
  readonly parties: ReadonlyMap<string, string>
}

const second = 1_000_000
const minute = 60 * second

/** `Annals` without any content. */
export const noAnnals: Annals = {
  openRounds: [],
  usableRound: undefined,
  issuingRounds: [],
  closedRounds: [],
  externalPartyRules: undefined,
  featuredApps: [],
  preapprovals: [],
  counters: [],
  commands: [],
  coupons: [],
  licenses: [],
  voteRequests: [],
  voteResults: [],
  priceVotes: [],
  sequencers: [],
  rewards: [],
  instructions: [],
  allocations: [],
  coins: [],
  snapshots: [],
  updates: [],
}

/**
 * Creates the content that a network has from its beginning: the rules for external parties, price votes and
 * sequencers.
 */
export function establishedBy(
  identifiers: Identifiers,
  facts: DsoFacts,
  founded: Micros,
): Pick<Annals, 'externalPartyRules' | 'priceVotes' | 'sequencers'> {
  const { dso, members } = facts
  const rules = 'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules'
  const vote = `${identifiers.hex(64)}:Splice.DSO.AmuletPrice:AmuletPriceVote`
  return {
    externalPartyRules: assignedContract(identifiers, facts, rules, { dso }, founded),
    priceVotes: members.map(({ party }) =>
      createContract(
        identifiers,
        vote,
        { dso, sv: party, amuletPrice: '0.005', lastUpdatedAt: isoTime(founded + minute) },
        founded + minute,
      ),
    ),
    sequencers: members.map((member) => sequencerOf(member, founded)),
  }
}

/**
 * Returns the payload of `Splice.ValidatorLicense:ValidatorLicense`. `first` and `last` are numbers of mining rounds.
 */
export function validatorLicense(
  parties: { readonly dso: string; readonly validator: string; readonly sponsor: string },
  received: { readonly first: number; readonly last: number; readonly missed: number },
  lastActiveAt: Micros,
): Contract['payload'] {
  return {
    ...parties,
    faucetState: {
      firstReceivedFor: { number: String(received.first) },
      lastReceivedFor: { number: String(received.last) },
      numCouponsMissed: String(received.missed),
    },
    metadata: null,
    lastActiveAt: isoTime(lastActiveAt),
  }
}

/**
 * Creates the constant part of the content of a made-up network. Rounds, rewards and snapshots stay empty, because they
 * change with time.
 */
export function annalsOf(identifiers: Identifiers, facts: AnnalsFacts): Annals {
  const { dso, startedAt, foundedAt, latestNumber, members, parties } = facts
  const partyOf = (owner: string) => parties.get(owner) ?? identifiers.unique(owner)
  const [alice, bob, acme, kite] = ['alice', 'bob', 'acme-validator-1', 'kite-labs-validator'].map(
    partyOf,
  ) as [string, string, string, string]
  const contract = (template: string, payload: Contract['payload'], minutesAgo: number) =>
    createContract(
      identifiers,
      `${identifiers.hex(64)}:${template}`,
      payload,
      startedAt - minutesAgo * minute,
    )
  const assigned = (template: string, payload: Contract['payload'], minutesAgo: number) =>
    assignedContract(identifiers, facts, template, payload, startedAt - minutesAgo * minute)
  const preapprovals = [alice, acme].map((receiver) =>
    assigned(
      'Splice.AmuletRules:TransferPreapproval',
      {
        dso,
        receiver,
        provider: acme,
        validFrom: isoTime(startedAt - 100 * minute),
        lastRenewedAt: isoTime(startedAt - 100 * minute),
        expiresAt: isoTime(startedAt + 90 * 24 * 60 * minute),
      },
      100,
    ),
  )
  const rights = [acme, acme, kite].map((provider, at) =>
    contract('Splice.Amulet:FeaturedAppRight', { dso, provider }, 5_000 - at),
  )
  const commandOf = (nonce: number, status: Json) => ({
    contract: contract(
      'Splice.ExternalPartyAmuletRules:TransferCommand',
      {
        dso,
        sender: alice,
        receiver: bob,
        delegate: acme,
        amount: '5.0',
        expiresAt: isoTime(startedAt + 10 * minute),
        nonce: String(nonce),
        description: null,
      },
      40 - nonce,
    ),
    status,
  })
  const voteRequest = (requester: Member, reason: string, minutesAgo: number) =>
    contract(
      'Splice.DsoRules:VoteRequest',
      {
        dso,
        requester: requester.name,
        action: {
          tag: 'ARC_DsoRules',
          value: { dsoAction: { tag: 'SRARC_GrantFeaturedAppRight', value: { provider: kite } } },
        },
        reason: { url: 'https://governance.example', body: reason },
        voteBefore: isoTime(startedAt + 7 * 24 * 60 * minute),
        votes: [],
        trackingCid: null,
        targetEffectiveAt: null,
      },
      minutesAgo,
    )
  const requests = members.slice(0, 2).map((member, at) => voteRequest(member, `Reason ${at}`, 60 + at))
  return {
    ...noAnnals,
    ...establishedBy(identifiers, facts, foundedAt),
    featuredApps: rights,
    preapprovals,
    counters: [
      assigned(
        'Splice.ExternalPartyAmuletRules:TransferCommandCounter',
        { dso, sender: alice, nextNonce: '4' },
        30,
      ),
    ],
    commands: [
      commandOf(1, { status: 'sent' }),
      commandOf(2, { status: 'failed', failure_kind: 'expired', reason: 'the command has expired' }),
      commandOf(3, { status: 'created' }),
    ],
    coupons: [1, 2, 3].map((number) =>
      assigned(
        'Splice.Amulet:UnclaimedDevelopmentFundCoupon',
        { dso, round: { number: String(latestNumber - number) }, amount: `${number}00.0` },
        10 * number,
      ),
    ),
    licenses: [acme, kite].map((validator, at) =>
      contract('Splice.ValidatorLicense:ValidatorLicense', license(validator), 9_000 - at),
    ),
    voteRequests: requests,
    voteResults: members.slice(0, 2).map((member, at) => ({
      request: voteRequest(member, `Closed ${at}`, 20_000 + at).payload,
      completedAt: isoTime(startedAt - (at + 1) * 24 * 60 * minute),
      offboardedVoters: [],
      abstainingSvs: [],
      outcome: {
        tag: 'VRO_Accepted',
        value: { effectiveAt: isoTime(startedAt - (at + 1) * 24 * 60 * minute) },
      },
    })),
    instructions: [{ contractId: identifiers.contractId() }],
    allocations: [{ contractId: identifiers.contractId() }],
    coins: coinsOf(identifiers, { dso, startedAt, alice, bob }),
    updates: updatesOf(identifiers, { ...facts, alice, bob }),
  }

  function license(validator: string): Contract['payload'] {
    const received = { first: latestNumber - 1_000, last: latestNumber - 1, missed: 7 }
    const sponsor = members[0]?.party ?? dso
    return validatorLicense({ dso, validator, sponsor }, received, startedAt - 20 * minute)
  }
}
