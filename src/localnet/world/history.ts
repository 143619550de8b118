import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { JsonObject, Micros } from './contract.ts'

export interface RecordedTransaction {
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
  after(time: Micros, limit: number): MaybePromise<readonly RecordedTransaction[]>
  /**
   * Returns the updates before `time`, the latest first. An undefined time means the end of the
   * history.
   */
  before(time: Micros | undefined, limit: number): MaybePromise<readonly RecordedTransaction[]>
  find(updateId: string): MaybePromise<RecordedTransaction | undefined>
  findByHash(hash: string): MaybePromise<RecordedTransaction | undefined>
}

interface PrunedHistory {
  readonly to: Micros
  readonly says: 'not-found' | 'unavailable'
}

export function historyOf(updates: readonly RecordedTransaction[]): History {
  return {
    complete: true,
    after: (time, limit) => updates.filter(({ at }) => at > time).slice(0, limit),
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
  const known = (found: RecordedTransaction | undefined) =>
    found === undefined || found.at < time ? undefined : found
  return {
    complete: false,
    after: (after, limit) => history.after(Math.max(after, time - 1), limit),
    before: (before, limit) =>
      whenKnown(history.before(before, limit), (found) => found.filter(({ at }) => at >= time)),
    find: (updateId) => whenKnown(history.find(updateId), known),
    findByHash: (hash) => whenKnown(history.findByHash(hash), known),
  }
}
