import { timeOf } from '../../registry/ledger/daml/time.ts'
import { type AnnalsFacts, type Established, establishedBy, validatorLicense } from './annals.ts'
import {
  type Contract,
  createContract,
  type Identifiers,
  type Json,
  type JsonObject,
  type Micros,
} from './contract.ts'
import type { RecordedTransaction } from './history.ts'
import { assignedContract, type Member, migrationId } from './network.ts'
import type { ServedContract } from './snapshots.ts'

const minute = 60_000_000
const day = 24 * 60 * minute

export function annalsOf(identifiers: Identifiers, facts: AnnalsFacts): Established {
  const stage = new AnnalsStage(identifiers, facts)
  const { members, dso, foundedAt } = facts
  const { alice, acme, kite } = stage
  const preapprovals = [alice, acme].map((receiver) => stage.preapproval(receiver))
  const featuredApps = [acme, acme, kite].map((provider, at) =>
    stage.contract('Splice.Amulet:FeaturedAppRight', { dso, provider }, 5_000 - at),
  )
  const voteRequests = members
    .slice(0, 2)
    .map((member, at) => stage.voteRequest(member, `Reason ${at}`, 60 + at))
  return {
    ...establishedBy(identifiers, facts, foundedAt),
    featuredApps,
    preapprovals,
    counters: [
      stage.assigned(
        'Splice.ExternalPartyAmuletRules:TransferCommandCounter',
        { dso, sender: alice, nextNonce: '4' },
        30,
      ),
    ],
    commands: [
      stage.command(1, { status: 'sent' }),
      stage.command(2, { status: 'failed', failure_kind: 'expired', reason: 'the command has expired' }),
      stage.command(3, { status: 'created' }),
    ],
    coupons: [1, 2, 3].map((number) => stage.coupon(number)),
    licenses: [acme, kite].map((validator, at) => stage.license(validator, 9_000 - at)),
    voteRequests,
    voteResults: members.slice(0, 2).map((member, at) => stage.voteResult(member, at)),
    instructions: [{ contractId: identifiers.contractId() }],
    allocations: [{ contractId: identifiers.contractId() }],
    coins: coinsOf(stage),
    updates: updatesOf(stage),
  }
}

class AnnalsStage {
  readonly identifiers: Identifiers
  readonly facts: AnnalsFacts
  readonly alice: string
  readonly bob: string
  readonly acme: string
  readonly kite: string

  constructor(identifiers: Identifiers, facts: AnnalsFacts) {
    this.identifiers = identifiers
    this.facts = facts
    const partyOf = (owner: string) => facts.parties.get(owner) ?? identifiers.unique(owner)
    this.alice = partyOf('alice')
    this.bob = partyOf('bob')
    this.acme = partyOf('acme-validator-1')
    this.kite = partyOf('kite-labs-validator')
  }

  contract(template: string, payload: Contract['payload'], minutesAgo: number): Contract {
    const id = `${this.identifiers.hex(64)}:${template}`
    return createContract(this.identifiers, id, payload, this.#ago(minutesAgo))
  }

  assigned(template: string, payload: Contract['payload'], minutesAgo: number) {
    return assignedContract(this.identifiers, this.facts, {
      template,
      payload,
      createdAt: this.#ago(minutesAgo),
    })
  }

  preapproval(receiver: string) {
    const { dso, startedAt } = this.facts
    const madeAt = timeOf(this.#ago(100))
    const payload = {
      dso,
      receiver,
      provider: this.acme,
      validFrom: madeAt,
      lastRenewedAt: madeAt,
      expiresAt: timeOf(startedAt + 90 * day),
    }
    return this.assigned('Splice.AmuletRules:TransferPreapproval', payload, 100)
  }

  command(nonce: number, status: Json) {
    const { dso, startedAt } = this.facts
    const payload = {
      dso,
      sender: this.alice,
      receiver: this.bob,
      delegate: this.acme,
      amount: '5.0',
      expiresAt: timeOf(startedAt + 10 * minute),
      nonce: String(nonce),
      description: null,
    }
    const contract = this.contract('Splice.ExternalPartyAmuletRules:TransferCommand', payload, 40 - nonce)
    return { contract, status }
  }

  coupon(number: number) {
    const { dso, latestNumber } = this.facts
    const payload = { dso, round: { number: String(latestNumber - number) }, amount: `${number}00.0` }
    return this.assigned('Splice.Amulet:UnclaimedDevelopmentFundCoupon', payload, 10 * number)
  }

  license(validator: string, minutesAgo: number): Contract {
    const { dso, latestNumber, members } = this.facts
    const received = { first: latestNumber - 1_000, last: latestNumber - 1, missed: 7 }
    const sponsor = members[0]?.party ?? dso
    const payload = validatorLicense({ dso, validator, sponsor }, received, this.#ago(20))
    return this.contract('Splice.ValidatorLicense:ValidatorLicense', payload, minutesAgo)
  }

  voteRequest(requester: Member, reason: string, minutesAgo: number): Contract {
    const { dso, startedAt } = this.facts
    const grant = { tag: 'SRARC_GrantFeaturedAppRight', value: { provider: this.kite } }
    const payload = {
      dso,
      requester: requester.name,
      action: { tag: 'ARC_DsoRules', value: { dsoAction: grant } },
      reason: { url: 'https://governance.example', body: reason },
      voteBefore: timeOf(startedAt + 7 * day),
      votes: [],
      trackingCid: null,
      targetEffectiveAt: null,
    }
    return this.contract('Splice.DsoRules:VoteRequest', payload, minutesAgo)
  }

  voteResult(requester: Member, at: number) {
    const completedAt = timeOf(this.facts.startedAt - (at + 1) * day)
    return {
      request: this.voteRequest(requester, `Closed ${at}`, 20_000 + at).payload,
      completedAt,
      offboardedVoters: [],
      abstainingSvs: [],
      outcome: { tag: 'VRO_Accepted', value: { effectiveAt: completedAt } },
    }
  }

  #ago(minutes: number): Micros {
    return this.facts.startedAt - minutes * minute
  }
}

/** The last coin is created after the first snapshots. */
function coinsOf({ identifiers, facts, alice, bob }: AnnalsStage): readonly ServedContract[] {
  const { dso, startedAt } = facts
  const packageId = identifiers.hex(64)
  const coinOf = (owner: string, amount: number, locked: boolean, hoursAgo: number): ServedContract => {
    const coin = { dso, owner, amount: { initialAmount: tenDigits(amount) } }
    return {
      created_in_update_id: locked ? null : `1220${identifiers.hex(64)}`,
      contract_id: identifiers.contractId(),
      template_id: `${packageId}:Splice.Amulet:${locked ? 'LockedAmulet' : 'Amulet'}`,
      package_name: 'splice-amulet',
      create_arguments: locked ? { amulet: coin } : coin,
      created_at: timeOf(startedAt - hoursAgo * 60 * minute),
      signatories: [dso, owner],
      observers: [],
    }
  }
  return [
    coinOf(alice, 100, false, 18),
    coinOf(bob, 30, false, 17),
    coinOf(alice, 5, true, 16),
    coinOf(bob, 7, false, 7),
  ]
}

/**
 * Formats a whole number as Splice's encoding `compact_json` writes a Daml Decimal: with ten decimal
 * digits.
 */
function tenDigits(amount: number): string {
  return `${amount}.0000000000`
}

const updateCount = 60

function updatesOf({ identifiers, facts, alice, bob }: AnnalsStage): readonly RecordedTransaction[] {
  const { dso, synchronizer, startedAt } = facts
  const rulesId = identifiers.contractId()
  const packageId = identifiers.hex(64)
  const participant = identifiers.unique('participant')
  return Array.from({ length: updateCount }, (_, number) => {
    const mint: Mint = {
      at: startedAt - (updateCount - number) * 1_000_000,
      id: `1220${identifiers.hex(64)}`,
      owner: number % 2 === 0 ? alice : bob,
      coin: identifiers.contractId(),
      amount: tenDigits(number + 1),
      dso,
      synchronizer,
    }
    const externalHash = number % 5 === 0 ? identifiers.hex(64) : undefined
    const transaction = transactionOf(mint, rulesId, packageId)
    return {
      at: mint.at,
      body: {
        ...transaction,
        ...(externalHash === undefined ? {} : { external_transaction_hash: externalHash }),
      },
      externalHash,
      verdict: verdictOn(mint, participant, identifiers.hex(64)),
    }
  })
}

type Mint = { readonly at: Micros } & Readonly<
  Record<'id' | 'owner' | 'coin' | 'amount' | 'dso' | 'synchronizer', string>
>

function transactionOf(
  { at, id, owner, coin, amount, dso, synchronizer }: Mint,
  rulesId: string,
  packageId: string,
): JsonObject {
  const exercised = `${id}:0`
  const created = `${id}:1`
  const effective = timeOf(at - 250_000)
  return {
    update_id: id,
    migration_id: migrationId,
    workflow_id: '',
    record_time: timeOf(at),
    synchronizer_id: synchronizer,
    effective_at: effective,
    root_event_ids: [exercised],
    events_by_id: {
      [exercised]: {
        event_type: 'exercised_event',
        event_id: exercised,
        contract_id: rulesId,
        template_id: `${packageId}:Splice.AmuletRules:AmuletRules`,
        package_name: 'splice-amulet',
        choice: 'AmuletRules_DevNet_Tap',
        choice_argument: { receiver: owner, amount },
        child_event_ids: [created],
        exercise_result: { amuletSum: { amulet: coin, amuletPrice: tenDigits(1) } },
        consuming: false,
        acting_parties: [owner],
        interface_id: null,
      },
      [created]: {
        event_type: 'created_event',
        event_id: created,
        contract_id: coin,
        template_id: `${packageId}:Splice.Amulet:Amulet`,
        package_name: 'splice-amulet',
        create_arguments: { dso, owner, amount: { initialAmount: amount } },
        created_at: effective,
        signatories: [dso, owner],
        observers: [],
      },
    },
  }
}

function verdictOn(
  { id, synchronizer, at, owner, dso }: Mint,
  participant: string,
  viewHash: string,
): JsonObject {
  return {
    update_id: id,
    migration_id: migrationId,
    domain_id: synchronizer,
    record_time: timeOf(at),
    submitting_parties: [owner],
    submitting_participant_uid: participant,
    verdict_result: 'VERDICT_RESULT_ACCEPTED',
    mediator_group: 0,
    transaction_views: {
      views: [
        {
          view_id: 0,
          informees: [dso, owner],
          confirming_parties: [{ parties: [dso], threshold: 1 }],
          sub_views: [],
          view_hash: viewHash,
        },
      ],
      root_views: [0],
    },
  }
}
