import { createHash } from 'node:crypto'
import { type Contract, type ContractWithState, createContract, type Json } from './contract.ts'
import { type DsoFacts, type Member, openMiningRound } from './dso.ts'
import { type Recorded, type Snapshot, snapshotsOf, updatesOf } from './history.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { assignedContract } from './network.ts'

export interface Sequencer {
  readonly migrationId: number
  readonly synchronizerSerial: number | null
  readonly id: string
  readonly url: string
  readonly svName: string
  readonly availableAfter: string
}

/** A transfer that waits for its receiver, or coin that waits for a settlement. */
export interface Pending {
  readonly contractId: string
  readonly context: readonly ContractWithState[]
}

/** The rewards of one round. */
export interface Rewards {
  readonly round: number
  readonly rootHash: string
  readonly batches: ReadonlyMap<string, Json>
  readonly totals: Json
}

/** What is on a ledger beside names, rules and nodes, as a scan node that is up to date has it. */
export interface Annals {
  readonly migrationId: number
  readonly openRounds: readonly ContractWithState[]
  readonly issuingRounds: readonly ContractWithState[]
  readonly closedRounds: readonly Contract[]
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
  /** By party: the participants that host it. */
  readonly hosts: ReadonlyMap<string, readonly string[]>
  readonly rewards: readonly Rewards[]
  readonly instructions: readonly Pending[]
  readonly allocations: readonly Pending[]
  /** Earliest first. */
  readonly snapshots: readonly Snapshot[]
  /** In the order of their record times. */
  readonly updates: readonly Recorded[]
}

export interface AnnalsFacts extends DsoFacts {
  readonly startedAt: Micros
  readonly amuletRules: ContractWithState
  readonly latestRound: ContractWithState
  /** Party ids by who owns them: `alice`, `bob`, ... */
  readonly parties: ReadonlyMap<string, string>
}

const second = 1_000_000
const minute = 60 * second
const latestNumber = 28_813

/** What a network without any of it has. */
export const noAnnals: Annals = {
  migrationId: 0,
  openRounds: [],
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
  hosts: new Map(),
  rewards: [],
  instructions: [],
  allocations: [],
  snapshots: [],
  updates: [],
}

/** The annals of a network that is made up. */
export function annalsOf(identifiers: Identifiers, facts: AnnalsFacts): Annals {
  const { dso, startedAt, members, amuletRules, latestRound, parties } = facts
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
  const openRounds = [
    assigned(
      'Splice.Round:OpenMiningRound',
      openMiningRound(dso, latestNumber - 2, startedAt - 21 * minute),
      31,
    ),
    assigned(
      'Splice.Round:OpenMiningRound',
      openMiningRound(dso, latestNumber - 1, startedAt - 11 * minute),
      21,
    ),
    latestRound,
  ]
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
    openRounds,
    issuingRounds: [issuingRound(latestNumber - 4), issuingRound(latestNumber - 3)].map((payload, at) =>
      assigned('Splice.Round:IssuingMiningRound', payload, 15 - at),
    ),
    closedRounds: [latestNumber - 6, latestNumber - 5].map((number) =>
      contract('Splice.Round:ClosedMiningRound', { dso, round: { number: String(number) } }, 5),
    ),
    externalPartyRules: assigned(
      'Splice.ExternalPartyAmuletRules:ExternalPartyAmuletRules',
      { dso },
      200 * 24 * 60,
    ),
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
      contract(
        'Splice.ValidatorLicense:ValidatorLicense',
        license(validator, members[0]?.party ?? dso),
        9_000 - at,
      ),
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
    priceVotes: members.map(({ party }, at) =>
      contract(
        'Splice.DSO.AmuletPrice:AmuletPriceVote',
        { dso, sv: party, amuletPrice: '0.005', lastUpdatedAt: isoTime(startedAt - 500 * minute) },
        500 + at,
      ),
    ),
    sequencers: members.map(({ name, participant, url }) => ({
      migrationId: 0,
      synchronizerSerial: null,
      id: participant.replace('PAR::', 'SEQ::'),
      url: `http://sequencer.${name}.${new URL(url).hostname}`,
      svName: name,
      availableAfter: isoTime(startedAt - 200 * 24 * 60 * minute),
    })),
    hosts: new Map([
      [alice, [`PAR::${identifiers.unique('acme')}`]],
      [dso, members.map(({ participant }) => participant)],
    ]),
    rewards: [rewardsOf(latestNumber - 6, acme, kite)],
    instructions: [{ contractId: identifiers.contractId(), context: [amuletRules, latestRound] }],
    allocations: [{ contractId: identifiers.contractId(), context: [amuletRules, latestRound] }],
    snapshots: snapshotsOf(identifiers, { dso, startedAt, alice, bob }),
    updates: updatesOf(identifiers, { ...facts, alice, bob }),
  }

  function issuingRound(number: number): Contract['payload'] {
    return {
      dso,
      round: { number: String(number) },
      issuancePerValidatorRewardCoupon: '0.2',
      issuancePerFeaturedAppRewardCoupon: '1.5',
      issuancePerUnfeaturedAppRewardCoupon: '0.6',
      issuancePerSvRewardCoupon: '0.0',
      opensAt: isoTime(startedAt - 10 * minute),
      targetClosesAt: isoTime(startedAt + 10 * minute),
      optIssuancePerValidatorFaucetCoupon: '2.85',
    }
  }

  function license(validator: string, sponsor: string): Contract['payload'] {
    return {
      dso,
      validator,
      sponsor,
      faucetState: {
        firstReceivedFor: { number: String(latestNumber - 1_000) },
        lastReceivedFor: { number: String(latestNumber - 1) },
        numCouponsMissed: '7',
      },
      metadata: null,
      lastActiveAt: isoTime(startedAt - 20 * minute),
    }
  }
}

/** Of Daml's Splice.Amulet.CryptoHash. */
function variantHash(tag: string, hashes: readonly string[]): string {
  return sha256([tag, '1', listHash(hashes)].join('|'))
}

function listHash(hashes: readonly string[]): string {
  return sha256([String(hashes.length), ...hashes].join('|'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function rewardsOf(round: number, ...providers: readonly string[]): Rewards {
  const allowances = providers.map((provider, at) => ({ provider, amount: `${at + 1}0.0` }))
  const leaf = variantHash(
    'BatchOfMintingAllowances',
    allowances.map(({ provider, amount }) => listHash([sha256(provider), sha256(amount)])),
  )
  const rootHash = variantHash('BatchOfBatches', [leaf])
  return {
    round,
    rootHash,
    batches: new Map<string, Json>([
      [rootHash, { batch_type: 'BatchOfBatches', child_hashes: [leaf] }],
      [
        leaf,
        {
          batch_type: 'BatchOfMintingAllowances',
          minting_allowances: allowances,
        },
      ],
    ]),
    totals: {
      total_app_activity_weight: 1_200,
      active_parties_count: providers.length,
      activity_records_count: 40,
      total_app_reward_minting_allowance: '30.0',
      total_app_reward_thresholded: '1.0',
      total_app_reward_unclaimed: '0.0',
      rewarded_app_provider_parties_count: providers.length,
    },
  }
}
