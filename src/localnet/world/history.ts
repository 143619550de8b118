import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import { type CoinFacts, tenDigits } from './coins.ts'
import type { Json } from './contract.ts'
import type { DsoFacts } from './dso.ts'
import type { Identifiers } from './identifiers.ts'
import { isoTime, type Micros } from './instant.ts'
import { migrationId } from './network.ts'

type Body = { readonly [key: string]: Json }

/** An update in the form of `/v2/updates`, with its record time. */
export interface Recorded {
  readonly at: Micros
  readonly body: Body
  /** The hash of the prepared transaction that an external party signed. Undefined for any other transaction. */
  readonly externalHash: string | undefined
  /** The verdict of the mediators on the update. Undefined if none was reported. */
  readonly verdict: Body | undefined
}

/** The updates that a node has, in the order of record time. */
export interface History {
  /** Whether the node has loaded the whole history. If not, it has the latest updates only. */
  readonly complete: boolean
  /** The updates that the node has pruned; absent if it has pruned none. */
  readonly pruned?: Pruned
  /** Returns the first `limit` updates after a time; undefined stands for the beginning of the history. */
  after(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  /** Returns the last `limit` updates before a time, latest first; undefined stands for the end of the history. */
  before(time: Micros | undefined, limit: number): MaybePromise<readonly Recorded[]>
  find(updateId: string): MaybePromise<Recorded | undefined>
  findByHash(hash: string): MaybePromise<Recorded | undefined>
}

interface Pruned {
  /** All updates before this record time are pruned. */
  readonly to: Micros
  /** The error for a page that starts before `to`. */
  readonly says: 'not-found' | 'unavailable'
}

/**
 * Returns a history of these updates.
 * @param updates in order of record time.
 */
export function historyOf(updates: readonly Recorded[], complete = true): History {
  return {
    complete,
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

/** Returns the history of a node that has no updates from before a time. */
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

/** Returns the history of a node that loaded all updates and has since pruned those before a time. */
export function historyPruned(history: History, pruned: Pruned): History {
  return { ...historySince(history, pruned.to), complete: history.complete, pruned }
}

const second = 1_000_000
const updateCount = 60

/** Creates one update for each of the 60 seconds before the world's start. Each update mints a coin. */
export function updatesOf(
  identifiers: Identifiers,
  { dso, synchronizer, startedAt, alice, bob }: CoinFacts & Pick<DsoFacts, 'synchronizer'>,
): readonly Recorded[] {
  const rulesId = identifiers.contractId()
  const packageId = identifiers.hex(64)
  const participant = identifiers.unique('participant')
  return Array.from({ length: updateCount }, (_, number) => {
    const at = startedAt - (updateCount - number) * second
    const id = `1220${identifiers.hex(64)}`
    const owner = number % 2 === 0 ? alice : bob
    const coin = identifiers.contractId()
    const externalHash = number % 5 === 0 ? identifiers.hex(64) : undefined
    const amount = tenDigits(number + 1)
    const body: Body = {
      update_id: id,
      migration_id: migrationId,
      workflow_id: '',
      record_time: isoTime(at),
      synchronizer_id: synchronizer,
      effective_at: isoTime(at - 250_000),
      root_event_ids: [`${id}:0`],
      events_by_id: {
        [`${id}:0`]: {
          event_type: 'exercised_event',
          event_id: `${id}:0`,
          contract_id: rulesId,
          template_id: `${packageId}:Splice.AmuletRules:AmuletRules`,
          package_name: 'splice-amulet',
          choice: 'AmuletRules_DevNet_Tap',
          choice_argument: { receiver: owner, amount },
          child_event_ids: [`${id}:1`],
          exercise_result: { amuletSum: { amulet: coin, amuletPrice: tenDigits(1) } },
          consuming: false,
          acting_parties: [owner],
          interface_id: null,
        },
        [`${id}:1`]: {
          event_type: 'created_event',
          event_id: `${id}:1`,
          contract_id: coin,
          template_id: `${packageId}:Splice.Amulet:Amulet`,
          package_name: 'splice-amulet',
          create_arguments: { dso, owner, amount: { initialAmount: amount } },
          created_at: isoTime(at - 250_000),
          signatories: [dso, owner],
          observers: [],
        },
      },
      ...(externalHash === undefined ? {} : { external_transaction_hash: externalHash }),
    }
    const verdict: Body = {
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
            view_hash: identifiers.hex(64),
          },
        ],
        root_views: [0],
      },
    }
    return { at, body, externalHash, verdict }
  })
}
