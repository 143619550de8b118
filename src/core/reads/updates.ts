import { isJsonObject } from '../../base/lib/canonical-json.ts'
import type { event, events, transaction, update, updateV1 } from './endpoints/updates.ts'
import { historyFrom, importsOfMigration, updatesOfMigration, wholeHistory } from './holding.ts'
import { instantKey, isLater } from './instant.ts'
import { isOtherHistoryItem, partsOf, type RecordedUpdate, recordedIn } from './other-kinds.ts'
import type { TypeOf } from './pattern.ts'
import { defineRead, type HistoryOf, historyOf, type OwnTexts, type Params, type VersionOf } from './read.ts'
import { membersWithoutVote } from './releases.ts'
import { bodyParam } from './request.ts'

type Update = TypeOf<typeof update>

function recordOf(item: Update): RecordedUpdate {
  if ('events_by_id' in item) return { migrationId: item.migration_id, recordTime: item.record_time }
  return recordedIn(item) ?? unrecorded
}

const unrecorded: RecordedUpdate = { migrationId: 0, recordTime: '1970-01-01T00:00:00Z' }

function momentOf({ migrationId, recordTime }: RecordedUpdate): string {
  return `${migrationId} ${instantKey(recordTime)}`
}

function isAfter(a: RecordedUpdate, b: RecordedUpdate): boolean {
  if (a.migrationId !== b.migrationId) return a.migrationId > b.migrationId
  return isLater(a.recordTime, b.recordTime)
}

interface PageRequest {
  readonly after?: { readonly after_migration_id: number; readonly after_record_time: string }
  readonly page_size: number
}

/**
 * The version of a page is the migration and the record time of its last item. A page grows with
 * the ledger until it is full, so its version never gets smaller.
 */
function versionOfPage(last: RecordedUpdate | undefined): string {
  // `0` sorts before the version of every page that has an item.
  if (last === undefined) return '0'
  return `${String(last.migrationId).padStart(10, '0')}/${instantKey(last.recordTime)}`
}

function byLastItem<Value>(lastOf: (value: Value) => RecordedUpdate | undefined): VersionOf<Value> {
  return { of: (value) => versionOfPage(lastOf(value)), absence: 'newer', hasUnboundedQuestions: true }
}

const lastUpdate = byLastItem(({ transactions }: { readonly transactions: readonly Update[] }) => {
  const last = transactions.at(-1)
  return last && recordOf(last)
})

function followsFrom(items: readonly RecordedUpdate[], params: Params): boolean {
  const { after, page_size: size } = JSON.parse(params[bodyParam] ?? '{}') as PageRequest
  if (items.length > size) return false
  const begin = after && { migrationId: after.after_migration_id, recordTime: after.after_record_time }
  const [first] = items
  if (begin !== undefined && first !== undefined && !isAfter(first, begin)) return false
  return items.every((item, at) => at === 0 || !isAfter(items[at - 1] as RecordedUpdate, item))
}

/**
 * Each scan gives the hash that an external party signed from a time on that its operator sets, and
 * none of updates that it ingested before its release kept hashes. The vote leaves hashes out.
 */
function ownHashes<Value, Item extends object>({
  list,
  make,
}: Pick<HistoryOf<Value, Item>, 'list' | 'make'>): OwnTexts<Value> {
  return {
    of: (value) => list(value).map(hashOf),
    put: (value, textAt) => make(list(value).map((item, at) => withHash(item, textAt(at)))),
  }
}

function ownHash<Item extends object>(): OwnTexts<Item> {
  return { of: (item) => [hashOf(item)], put: (item, textAt) => withHash(item, textAt(0)) }
}

function hashOf(item: object): string | null {
  if (isTransaction(item)) return item.external_transaction_hash ?? null
  return 'update' in item && isJsonObject(item.update) ? hashOf(item.update) : null
}

function withHash<Item extends object>(item: Item, hash: string | null): Item {
  if (isTransaction(item)) {
    const { external_transaction_hash: _, ...rest } = item
    return (hash === null ? rest : { ...rest, external_transaction_hash: hash }) as Item
  }
  return 'update' in item && isJsonObject(item.update)
    ? { ...item, update: withHash(item.update, hash) }
    : item
}

function isTransaction(item: object): item is TypeOf<typeof transaction> {
  return 'events_by_id' in item && item.events_by_id !== null
}

function constantsIn(members: object): string {
  const texts = Object.entries(members).map(
    ([name, constant]) => `\`${name}\` is ${JSON.stringify(constant)}`,
  )
  return texts.join(', ')
}

const { offset: ownOffset, ...ownInEvents } = membersWithoutVote
const ofAnyUpdate = `${constantsIn({ offset: ownOffset })}, because each participant counts for itself`
const ofUpdates = `${ofAnyUpdate}; \`external_transaction_hash\` is left out where no threshold of super validators gives the same, and takes no part in the vote`
const ofEvents = `${ofUpdates}; ${constantsIn(ownInEvents)}, because each super validator has its own, or none before a later release`

/** Pages of both forms: only the updates of V1 have an offset, which takes no part in the vote. */
function pagesOf<Item extends Update>() {
  return {
    list: ({ transactions }: { readonly transactions: readonly Item[] }) => transactions,
    make: (transactions: readonly Item[]) => ({ transactions: [...transactions] }),
  }
}

const updates = pagesOf<Update>()
const updatesV1 = pagesOf<TypeOf<typeof updateV1>>()

const limits = { maxBodyBytes: '64KiB', maxBytes: '32MiB' } as const
const ofHistory = {
  ...limits,
  cache: { fresh: '5s', stale: '5s', absent: '5s' },
  holders: historyFrom,
} as const
const byId = {
  cache: { fresh: '1h', stale: '24h', absent: '5s' },
  maxBytes: '32MiB',
  holders: wholeHistory,
} as const
const notFound = ['Transaction with id {update_id} not found', 'Transaction with id *'] as const

const ofUpdateHistory = {
  ...ofHistory,
  answersQuestion: ({ transactions }: { readonly transactions: readonly Update[] }, params: Params) =>
    followsFrom(transactions.map(recordOf), params),
  normalises: ofUpdates,
  version: lastUpdate,
}

export const getUpdateHistoryV2 = defineRead('getUpdateHistoryV2', {
  summary: 'Updates in their order: a page that follows from the last update of the one before.',
  ...ofUpdateHistory,
  own: ownHashes(updates),
  agree: historyOf({ on: 'history', ...updates, moment: (item) => momentOf(recordOf(item)) }),
})

export const getUpdateByIdV2 = defineRead('getUpdateByIdV2', {
  summary: 'An update by its id.',
  ...byId,
  own: ownHash<Update>(),
  normalises: ofUpdates,
  absent: notFound,
})

export const getUpdateByHash = defineRead('getUpdateByHash', {
  summary: 'An update by the hash of the transaction that an external party prepared.',
  ...byId,
  answersQuestion: (value, params) =>
    'external_transaction_hash' in value && value.external_transaction_hash === params['hash'],
  normalises: ofAnyUpdate,
  absent: ['Transaction with hash {hash} not found', 'Transaction with hash *'],
})

export const getUpdateHistoryV1 = defineRead('getUpdateHistoryV1', {
  summary: 'Updates in their order, in the form before v2 (deprecated by Splice).',
  ...ofUpdateHistory,
  own: ownHashes(updatesV1),
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => momentOf(recordOf(item)) }),
})

export const getUpdateByIdV1 = defineRead('getUpdateByIdV1', {
  summary: 'An update by its id, in the form before v2 (deprecated by Splice).',
  ...byId,
  own: ownHash<TypeOf<typeof updateV1>>(),
  normalises: ofUpdates,
  absent: notFound,
})

// The reads by which scans load history from each other have no `absent`: a scan answers 404 also while it
// still loads.

export const getUpdatesBefore = defineRead('getUpdatesBefore', {
  summary: 'Updates before a time, the last ones first, from the scans that have loaded them.',
  answersQuestion: ({ transactions }, params) => {
    const { count, before } = JSON.parse(params[bodyParam] ?? '{}')
    return transactions.length <= count && transactions.every((item) => isLater(before, item.record_time))
  },
  own: ownHashes(updatesV1),
  normalises: ofUpdates,
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => momentOf(recordOf(item)) }),
  ...limits,
  holders: updatesOfMigration,
})

export const getImportUpdates = defineRead('getImportUpdates', {
  summary: 'What a migration began with, by update id, from the scans that have loaded it.',
  answersQuestion: ({ transactions }, params) =>
    transactions.length <= (JSON.parse(params[bodyParam] ?? '{}') as { limit: number }).limit,
  own: ownHashes(updatesV1),
  normalises: ofUpdates,
  // All import updates of a migration have the same record time. Each counts as a moment of its
  // own, so that scans can agree on the beginning of a page. One of a newer kind may have no id.
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => `${item.update_id}` }),
  ...limits,
  holders: importsOfMigration,
})

type Event = TypeOf<typeof event>

function recordOfEvent(item: Event): RecordedUpdate {
  if (isOtherHistoryItem(item)) return recordedIn(item) ?? unrecorded
  const { update: changed, verdict: said } = item
  if (said !== null) return { migrationId: said.migration_id, recordTime: said.record_time }
  return changed === null ? unrecorded : recordOf(changed)
}

const history = {
  list: ({ events: all }: TypeOf<typeof events>) => all,
  make: (all: readonly Event[]) => ({ events: [...all] }),
}

export const getEventHistory = defineRead('getEventHistory', {
  summary: 'Updates with the verdicts on them in their order: a page that follows from the one before.',
  answersQuestion: ({ events: all }, params) => followsFrom(all.map(recordOfEvent), params),
  own: ownHashes(history),
  normalises: ofEvents,
  agree: historyOf({ on: 'history', ...history, moment: (item) => momentOf(recordOfEvent(item)) }),
  version: byLastItem(({ events: all }: { readonly events: readonly Event[] }) => {
    const last = all.at(-1)
    return last && recordOfEvent(last)
  }),
  ...ofHistory,
})

export const getEventById = defineRead('getEventById', {
  summary: 'An update with the verdict on it, by its id.',
  answersQuestion: (item, params) => {
    const ids = partsOf(item).flatMap(({ update_id: id }) => (id === undefined ? [] : [id]))
    return ids.length > 0 && ids.every((id) => id === params['update_id'])
  },
  own: ownHash<TypeOf<typeof event>>(),
  normalises: ofEvents,
  absent: ['Event with id {update_id} not found', '*'],
  ...byId,
})

export const getLatestEventRecordTime = defineRead('getLatestEventRecordTime', {
  summary: 'The latest record time up to which enough super validators can answer `/v0/events`.',
  agree: { on: 'reached', time: ({ record_time }) => instantKey(record_time) },
  version: { of: ({ record_time }) => instantKey(record_time), absence: 'newer' },
  cache: { fresh: '1s', stale: '5s', absent: '1s' },
})
