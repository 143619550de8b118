import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import { type CoinFacts, tenDigits } from './coins.ts'
import type { Json } from './contract.ts'
import type { DsoFacts } from './dso.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { migrationId } from './network.ts'

type JsonObject = { readonly [key: string]: Json }

export interface Recorded {
  readonly at: Micros
  readonly body: JsonObject
  /** The hash of the transaction that an external party signed. Other transactions have none. */
  readonly externalHash: string | undefined
  readonly verdict: JsonObject | undefined
}

export interface History {
  /** Whether the node has loaded the whole history. Otherwise, it has only the latest updates. */
  readonly complete: boolean
  readonly pruned?: PrunedHistory
  after(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  /**
   * Returns the updates before `time`, the latest first. An undefined time means the end of the
   * history.
   */
  before(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  find(updateId: string): MaybePromise<Recorded | undefined>
  findByHash(hash: string): MaybePromise<Recorded | undefined>
}

interface PrunedHistory {
  readonly to: Micros
  readonly says: 'not-found' | 'unavailable'
}

export function historyOf(updates: readonly Recorded[]): History {
  return {
    complete: true,
    after(time, limit) {
      const from = time === undefined ? 0 : updates.findIndex(({ at }) => at > time)
      return from === -1 ? [] : updates.slice(from, from + limit)
    },
    before: (time, limit) =>
      updates
        .filter(({ at }) => time === undefined || at < time)
        .slice(-limit)
        .reverse(),
    find: (updateId) => updates.find(({ body }) => body['update_id'] === updateId),
    findByHash: (hash) => updates.find(({ externalHash }) => externalHash === hash),
  }
}

export function historySince(history: History, time: Micros): History {
  const known = (found: Recorded | undefined) => (found === undefined || found.at < time ? undefined : found)
  return {
    complete: false,
    after: (after, limit) => history.after(Math.max(after ?? 0, time - 1), limit),
    before: (before, limit) =>
      whenKnown(history.before(before, limit), (found) => found.filter(({ at }) => at >= time)),
    find: (updateId) => whenKnown(history.find(updateId), known),
    findByHash: (hash) => whenKnown(history.findByHash(hash), known),
  }
}

export function historyPruned(history: History, pruned: PrunedHistory): History {
  return { ...historySince(history, pruned.to), complete: history.complete, pruned }
}

const second = 1_000_000
const updateCount = 60

export function updatesOf(
  identifiers: Identifiers,
  { dso, synchronizer, startedAt, alice, bob }: CoinFacts & Pick<DsoFacts, 'synchronizer'>,
): readonly Recorded[] {
  const rulesId = identifiers.contractId()
  const packageId = identifiers.hex(64)
  const participant = identifiers.unique('participant')
  return Array.from({ length: updateCount }, (_, number) => {
    const mint: Mint = {
      at: startedAt - (updateCount - number) * second,
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

interface Mint {
  readonly at: Micros
  readonly id: string
  readonly owner: string
  readonly coin: string
  readonly amount: string
  readonly dso: string
  readonly synchronizer: string
}

function transactionOf(
  { at, id, synchronizer, ...mint }: Mint,
  rulesId: string,
  packageId: string,
): JsonObject {
  const exercised = `${id}:0`
  const created = `${id}:1`
  const effective = isoTime(at - 250_000)
  return {
    update_id: id,
    migration_id: migrationId,
    workflow_id: '',
    record_time: isoTime(at),
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
        choice_argument: { receiver: mint.owner, amount: mint.amount },
        child_event_ids: [created],
        exercise_result: { amuletSum: { amulet: mint.coin, amuletPrice: tenDigits(1) } },
        consuming: false,
        acting_parties: [mint.owner],
        interface_id: null,
      },
      [created]: creationOf(mint, created, `${packageId}:Splice.Amulet:Amulet`, effective),
    },
  }
}

function creationOf(
  { coin, dso, owner, amount }: Pick<Mint, 'coin' | 'dso' | 'owner' | 'amount'>,
  eventId: string,
  templateId: string,
  createdAt: string,
): JsonObject {
  return {
    event_type: 'created_event',
    event_id: eventId,
    contract_id: coin,
    template_id: templateId,
    package_name: 'splice-amulet',
    create_arguments: { dso, owner, amount: { initialAmount: amount } },
    created_at: createdAt,
    signatories: [dso, owner],
    observers: [],
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
    record_time: isoTime(at),
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
