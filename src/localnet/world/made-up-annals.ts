import { timeOf } from '../../registry/ledger/daml/time.ts'
import { type AnnalsFacts, type Established, establishedBy } from './annals.ts'
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
const hour = 60 * minute
const day = 24 * hour

export function annalsOf(identifiers: Identifiers, facts: AnnalsFacts): Established {
  const { dso, members, startedAt, foundedAt, latestNumber, parties } = facts
  const partyOf = (owner: string) => parties.get(owner) ?? identifiers.unique(owner)
  const [alice, bob] = [partyOf('alice'), partyOf('bob')]
  const [acme, kite] = [partyOf('acme-validator-1'), partyOf('kite-labs-validator')]
  const ago = (minutes: number): Micros => startedAt - minutes * minute
  const contract = (name: string, payload: Contract['payload'], minutesAgo: number) =>
    createContract(identifiers, `${identifiers.hex(64)}:${name}`, payload, ago(minutesAgo))
  const assigned = (template: string, payload: Contract['payload'], minutesAgo: number) =>
    assignedContract(identifiers, facts, { template, payload, createdAt: ago(minutesAgo) })

  const preapproval = (receiver: string) => {
    const madeAt = timeOf(ago(100))
    const expiresAt = timeOf(startedAt + 90 * day)
    const payload = { dso, receiver, provider: acme, validFrom: madeAt, lastRenewedAt: madeAt, expiresAt }
    return assigned('Splice.AmuletRules:TransferPreapproval', payload, 100)
  }
  const command = (nonce: number, status: Json) => {
    const payload = {
      dso,
      sender: alice,
      receiver: bob,
      delegate: acme,
      amount: '5.0',
      expiresAt: timeOf(startedAt + 10 * minute),
      nonce: String(nonce),
      description: null,
    }
    return {
      contract: contract('Splice.ExternalPartyAmuletRules:TransferCommand', payload, 40 - nonce),
      status,
    }
  }
  const coupon = (number: number) => {
    const payload = { dso, round: { number: String(latestNumber - number) }, amount: `${number}00.0` }
    return assigned('Splice.Amulet:UnclaimedDevelopmentFundCoupon', payload, 10 * number)
  }
  const counter = { dso, sender: alice, nextNonce: '4' }
  const voters = members.slice(0, 2)
  return {
    ...establishedBy(identifiers, facts, foundedAt, {
      validators: [acme, kite],
      first: latestNumber - 1_000,
      last: latestNumber - 1,
      missed: 7,
      lastActiveAt: ago(20),
    }),
    featuredApps: [acme, acme, kite].map((provider, at) =>
      contract('Splice.Amulet:FeaturedAppRight', { dso, provider }, 5_000 - at),
    ),
    preapprovals: [alice, acme].map(preapproval),
    counters: [assigned('Splice.ExternalPartyAmuletRules:TransferCommandCounter', counter, 30)],
    commands: [
      command(1, { status: 'sent' }),
      command(2, { status: 'failed', failure_kind: 'expired', reason: 'the command has expired' }),
      command(3, { status: 'created' }),
    ],
    coupons: [1, 2, 3].map(coupon),
    voteRequests: voters.map((member, at) =>
      contract('Splice.DsoRules:VoteRequest', voteRequest(facts, member, kite, `Reason ${at}`), 60 + at),
    ),
    voteResults: voters.map((member, at) =>
      acceptedOf(voteRequest(facts, member, kite, `Closed ${at}`), timeOf(startedAt - (at + 1) * day)),
    ),
    instructions: [{ contractId: identifiers.contractId() }],
    allocations: [{ contractId: identifiers.contractId() }],
    ...coinsAndUpdatesOf(identifiers, facts, [alice, bob]),
  }
}

function voteRequest({ dso, startedAt }: AnnalsFacts, { name }: Member, provider: string, body: string) {
  const grant = { tag: 'SRARC_GrantFeaturedAppRight', value: { provider } }
  return {
    dso,
    requester: name,
    action: { tag: 'ARC_DsoRules', value: { dsoAction: grant } },
    reason: { url: 'https://governance.example', body },
    voteBefore: timeOf(startedAt + 7 * day),
    votes: [],
    trackingCid: null,
    targetEffectiveAt: null,
  }
}

function acceptedOf(request: JsonObject, completedAt: string) {
  return {
    request,
    completedAt,
    offboardedVoters: [],
    abstainingSvs: [],
    outcome: { tag: 'VRO_Accepted', value: { effectiveAt: completedAt } },
  }
}

const updateCount = 60

function coinsAndUpdatesOf(
  identifiers: Identifiers,
  { dso, synchronizer, startedAt }: AnnalsFacts,
  [alice, bob]: readonly [string, string],
): { readonly coins: readonly ServedContract[]; readonly updates: readonly RecordedTransaction[] } {
  const packageId = identifiers.hex(64)
  const rulesId = identifiers.contractId()
  const participant = identifiers.unique('participant')
  const coin = (owner: string, amount: number, createdAt: Micros) => ({
    contract_id: identifiers.contractId(),
    template_id: `${packageId}:Splice.Amulet:Amulet`,
    package_name: 'splice-amulet',
    create_arguments: { dso, owner, amount: { initialAmount: tenDigits(amount) } },
    created_at: timeOf(createdAt),
    signatories: [dso, owner],
    observers: [],
  })
  const minted = (owner: string, amount: number, hoursAgo: number): ServedContract => ({
    created_in_update_id: `1220${identifiers.hex(64)}`,
    ...coin(owner, amount, startedAt - hoursAgo * hour),
  })
  const mint = (number: number): RecordedTransaction => {
    const at = startedAt - (updateCount - number) * 1_000_000
    const id = `1220${identifiers.hex(64)}`
    const owner = number % 2 === 0 ? alice : bob
    const created = coin(owner, number + 1, at - 250_000)
    const externalHash = number % 5 === 0 ? identifiers.hex(64) : undefined
    const [exercisedId, createdId] = [`${id}:0`, `${id}:1`]
    const update = { update_id: id, migration_id: migrationId, record_time: timeOf(at) }
    const body = {
      ...update,
      workflow_id: '',
      synchronizer_id: synchronizer,
      effective_at: created.created_at,
      root_event_ids: [exercisedId],
      events_by_id: {
        [exercisedId]: {
          event_type: 'exercised_event',
          event_id: exercisedId,
          contract_id: rulesId,
          template_id: `${packageId}:Splice.AmuletRules:AmuletRules`,
          package_name: 'splice-amulet',
          choice: 'AmuletRules_DevNet_Tap',
          choice_argument: { receiver: owner, amount: tenDigits(number + 1) },
          child_event_ids: [createdId],
          exercise_result: { amuletSum: { amulet: created.contract_id, amuletPrice: tenDigits(1) } },
          consuming: false,
          acting_parties: [owner],
          interface_id: null,
        },
        [createdId]: { event_type: 'created_event', event_id: createdId, ...created },
      },
      ...(externalHash !== undefined && { external_transaction_hash: externalHash }),
    }
    const verdict = {
      ...update,
      domain_id: synchronizer,
      submitting_parties: [owner],
      submitting_participant_uid: participant,
      verdict_result: 'VERDICT_RESULT_ACCEPTED',
      mediator_group: 0,
      transaction_views: { views: [viewOf([dso, owner], identifiers.hex(64))], root_views: [0] },
    }
    return { at, body, externalHash, verdict }
  }
  return {
    // The last coin is created after the first snapshots.
    coins: [minted(alice, 100, 18), minted(bob, 30, 17), locked(minted(alice, 5, 16)), minted(bob, 7, 7)],
    updates: Array.from({ length: updateCount }, (_, number) => mint(number)),
  }
}

function locked({ create_arguments: amulet, ...coin }: ServedContract): ServedContract {
  const template = coin.template_id.replace(/Amulet$/, 'LockedAmulet')
  return { ...coin, created_in_update_id: null, template_id: template, create_arguments: { amulet } }
}

function viewOf(informees: readonly string[], hash: string) {
  const [dso = ''] = informees
  return {
    view_id: 0,
    informees,
    confirming_parties: [{ parties: [dso], threshold: 1 }],
    sub_views: [],
    view_hash: hash,
  }
}

/**
 * Formats a whole number as Splice's encoding `compact_json` writes a Daml Decimal: with ten decimal
 * digits.
 */
function tenDigits(amount: number): string {
  return `${amount}.0000000000`
}
