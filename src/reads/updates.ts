import { isJsonObject, type Json } from '../lib/canonical-json.ts'
import { isoTime, jsonObject, oneOf, setOfTexts, withoutVote } from './contract.ts'
import { historyFrom, importsOfMigration, updatesOfMigration, wholeHistory } from './holding.ts'
import { instantKey, isLater } from './instant.ts'
import { isOtherHistoryItem, partsOf, type Recorded, recordedIn } from './other-kinds.ts'
import { choiceInQuery, optionalParam, textIn } from './params.ts'
import {
  boolean,
  firstBy,
  firstOf,
  integer,
  leaf,
  list,
  literal,
  nullable,
  object,
  omittable,
  optional,
  record,
  string,
  type TypeOf,
} from './pattern.ts'
import { defineRead, type HistoryOf, historyOf, type OwnTexts, type Params, type VersionOf } from './read.ts'
import { membersWithoutVote } from './releases.ts'
import { bodyParam } from './request.ts'
import { maybe, pageSize, text, time } from './request-bodies.ts'

const json = leaf<Json>('json')
const strings = list(string)

const created = object({
  event_type: literal('created_event'),
  event_id: string,
  contract_id: string,
  template_id: string,
  package_name: string,
  create_arguments: jsonObject,
  created_at: isoTime,
  signatories: setOfTexts,
  observers: setOfTexts,
})
const exercised = object({
  event_type: literal('exercised_event'),
  event_id: string,
  contract_id: string,
  template_id: string,
  package_name: string,
  choice: string,
  choice_argument: json,
  child_event_ids: strings,
  exercise_result: json,
  consuming: boolean,
  acting_parties: setOfTexts,
  interface_id: optional(string),
})

const transaction = object({
  update_id: string,
  migration_id: integer,
  workflow_id: string,
  record_time: isoTime,
  synchronizer_id: string,
  effective_at: isoTime,
  root_event_ids: strings,
  events_by_id: record(firstOf(firstBy('event_type', created, exercised), leaf<never>('other tree event'))),
  // Splice omits this field if it has no value. For all other optional fields, it writes null.
  external_transaction_hash: omittable(nullable(string)),
})
const offset = withoutVote('offset', string)
const transactionV1 = object({ ...transaction.object, offset })

const assignment = object({
  submitter: string,
  source_synchronizer: string,
  target_synchronizer: string,
  migration_id: integer,
  unassign_id: string,
  created_event: created,
  reassignment_counter: integer,
})
const unassignment = object({
  submitter: string,
  source_synchronizer: string,
  migration_id: integer,
  target_synchronizer: string,
  unassign_id: string,
  reassignment_counter: integer,
  contract_id: string,
})
const reassignment = object({
  update_id: string,
  offset,
  record_time: isoTime,
  event: firstOf(assignment, unassignment, leaf<never>('other reassignment')),
})

const otherUpdate = leaf<never>('other update')
const update = firstOf(transaction, reassignment, otherUpdate)
const updateV1 = firstOf(transactionV1, reassignment, otherUpdate)

type Update = TypeOf<typeof update>

function recordOf(item: Update): Recorded {
  if ('events_by_id' in item) return { migrationId: item.migration_id, recordTime: item.record_time }
  return recordedIn(item) ?? unrecorded
}

const unrecorded: Recorded = { migrationId: 0, recordTime: '1970-01-01T00:00:00Z' }

function momentOf({ migrationId, recordTime }: Recorded): string {
  return `${migrationId} ${instantKey(recordTime)}`
}

function isAfter(a: Recorded, b: Recorded): boolean {
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
function versionOfPage(last: Recorded | undefined): string {
  // `0` sorts before the version of every page that has an item.
  if (last === undefined) return '0'
  return `${String(last.migrationId).padStart(10, '0')}/${instantKey(last.recordTime)}`
}

function byLastItem<Value>(lastOf: (value: Value) => Recorded | undefined): VersionOf<Value> {
  return { of: (value) => versionOfPage(lastOf(value)), absence: 'newer', hasUnboundedQuestions: true }
}

const lastUpdate = byLastItem(({ transactions }: { readonly transactions: readonly Update[] }) => {
  const last = transactions.at(-1)
  return last && recordOf(last)
})

function followsFrom(items: readonly Recorded[], params: Params): boolean {
  const { after, page_size: size } = JSON.parse(params[bodyParam] ?? '{}') as PageRequest
  if (items.length > size) return false
  const begin = after && { migrationId: after.after_migration_id, recordTime: after.after_record_time }
  const [first] = items
  if (begin !== undefined && first !== undefined && !isAfter(first, begin)) return false
  return items.every((item, at) => at === 0 || !isAfter(items[at - 1] as Recorded, item))
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

const encoding = maybe(literal('compact_json', 'protobuf_json'), { otherwise: 'compact_json' })
const pageOfHistory = object({
  after: maybe(object({ after_migration_id: integer, after_record_time: time })),
  page_size: pageSize,
  daml_value_encoding: encoding,
})
const encodingParam = optionalParam(
  choiceInQuery('daml_value_encoding', ['compact_json', 'protobuf_json'], 'How Daml values are printed.'),
)
const updateIdParam = textIn('update_id', 'path', "The update's id.")

const page = object({ transactions: list(update) })
const pageV1 = object({ transactions: list(updateV1) })
const updates = {
  list: ({ transactions }: TypeOf<typeof page>) => transactions,
  make: (transactions: readonly Update[]) => ({ transactions: [...transactions] }),
}
const updatesV1 = {
  list: ({ transactions }: TypeOf<typeof pageV1>) => transactions,
  make: (transactions: readonly TypeOf<typeof updateV1>[]) => ({ transactions: [...transactions] }),
}

const pageCache = { fresh: '5s', stale: '5s', absent: '5s' } as const
const oneCache = { fresh: '1h', stale: '24h', absent: '5s' } as const
const notFound = ['Transaction with id {update_id} not found', 'Transaction with id *'] as const

export const getUpdateHistoryV2 = defineRead({
  id: 'getUpdateHistoryV2',
  summary: 'Updates in their order: a page that follows from the last update of the one before.',
  method: 'POST',
  scanPath: '/v2/updates',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: pageOfHistory, maxBytes: '64KiB' },
  reply: page,
  answersQuestion: ({ transactions }, params) => followsFrom(transactions.map(recordOf), params),
  own: ownHashes(updates),
  normalises: ofUpdates,
  agree: historyOf({ on: 'history', ...updates, moment: (item) => momentOf(recordOf(item)) }),
  version: lastUpdate,
  absent: [],
  cache: pageCache,
  maxBytes: '32MiB',
  holders: historyFrom,
})

export const getUpdateByIdV2 = defineRead({
  id: 'getUpdateByIdV2',
  summary: 'An update by its id.',
  method: 'GET',
  scanPath: '/v2/updates/{update_id}',
  alsoWithoutPrefix: false,
  params: [updateIdParam, encodingParam],
  reply: update,
  repeats: { member: ['update_id'], param: 'update_id' },
  own: ownHash<TypeOf<typeof update>>(),
  normalises: ofUpdates,
  agree: { on: 'whole' },
  absent: notFound,
  cache: oneCache,
  maxBytes: '32MiB',
  holders: wholeHistory,
})

const updateByHash = firstOf(
  object({ ...transaction.object, external_transaction_hash: string }),
  reassignment,
  otherUpdate,
)

export const getUpdateByHash = defineRead({
  id: 'getUpdateByHash',
  summary: 'An update by the hash of the transaction that an external party prepared.',
  method: 'GET',
  scanPath: '/v2/updates/hash/{hash}',
  alsoWithoutPrefix: false,
  params: [textIn('hash', 'path', 'The hash of the prepared transaction.'), encodingParam],
  reply: updateByHash,
  answersQuestion: (value, params) =>
    'external_transaction_hash' in value && value.external_transaction_hash === params['hash'],
  normalises: ofAnyUpdate,
  agree: { on: 'whole' },
  absent: ['Transaction with hash {hash} not found', 'Transaction with hash *'],
  cache: oneCache,
  maxBytes: '32MiB',
  holders: wholeHistory,
})

export const getUpdateHistoryV1 = defineRead({
  id: 'getUpdateHistoryV1',
  summary: 'Updates in their order, in the form before v2 (deprecated by Splice).',
  method: 'POST',
  scanPath: '/v1/updates',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: pageOfHistory, maxBytes: '64KiB' },
  reply: pageV1,
  answersQuestion: ({ transactions }, params) => followsFrom(transactions.map(recordOf), params),
  own: ownHashes(updatesV1),
  normalises: ofUpdates,
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => momentOf(recordOf(item)) }),
  version: lastUpdate,
  absent: [],
  cache: pageCache,
  maxBytes: '32MiB',
  holders: historyFrom,
})

export const getUpdateByIdV1 = defineRead({
  id: 'getUpdateByIdV1',
  summary: 'An update by its id, in the form before v2 (deprecated by Splice).',
  method: 'GET',
  scanPath: '/v1/updates/{update_id}',
  alsoWithoutPrefix: false,
  params: [updateIdParam, encodingParam],
  reply: updateV1,
  repeats: { member: ['update_id'], param: 'update_id' },
  own: ownHash<TypeOf<typeof updateV1>>(),
  normalises: ofUpdates,
  agree: { on: 'whole' },
  absent: notFound,
  cache: oneCache,
  maxBytes: '32MiB',
  holders: wholeHistory,
})

/**
 * The settings of the reads by which scans load history from each other. `absent` is empty, because
 * a 404 does not prove an absence: a scan also answers 404 while it still loads.
 */
const noHistory = { absent: [], cache: { fresh: '1m', stale: '10m', absent: '5s' } } as const

export const getUpdatesBefore = defineRead({
  id: 'getUpdatesBefore',
  summary: 'Updates before a time, the last ones first, from the scans that have loaded them.',
  method: 'POST',
  scanPath: '/v0/backfilling/updates-before',
  alsoWithoutPrefix: false,
  params: [],
  body: {
    pattern: object({
      migration_id: integer,
      synchronizer_id: text,
      before: time,
      at_or_after: maybe(time),
      count: pageSize,
    }),
    maxBytes: '64KiB',
  },
  reply: pageV1,
  answersQuestion: ({ transactions }, params) => {
    const { count, before } = JSON.parse(params[bodyParam] ?? '{}')
    return transactions.length <= count && transactions.every((item) => isLater(before, item.record_time))
  },
  own: ownHashes(updatesV1),
  normalises: ofUpdates,
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => momentOf(recordOf(item)) }),
  ...noHistory,
  maxBytes: '32MiB',
  holders: updatesOfMigration,
})

export const getImportUpdates = defineRead({
  id: 'getImportUpdates',
  summary: 'What a migration began with, by update id, from the scans that have loaded it.',
  method: 'POST',
  scanPath: '/v0/backfilling/import-updates',
  alsoWithoutPrefix: false,
  params: [],
  body: {
    pattern: object({ migration_id: integer, after_update_id: text, limit: pageSize }),
    maxBytes: '64KiB',
  },
  reply: pageV1,
  answersQuestion: ({ transactions }, params) =>
    transactions.length <= (JSON.parse(params[bodyParam] ?? '{}') as { limit: number }).limit,
  // All import updates of a migration have the same record time. Each counts as a moment of its
  // own, so that scans can agree on the beginning of a page.
  own: ownHashes(updatesV1),
  normalises: ofUpdates,
  agree: historyOf({ on: 'history', ...updatesV1, moment: (item) => item.update_id }),
  ...noHistory,
  maxBytes: '32MiB',
  holders: importsOfMigration,
})

const verdict = object({
  update_id: string,
  migration_id: integer,
  domain_id: string,
  record_time: isoTime,
  finalization_time: withoutVote('finalization_time', string),
  submitting_parties: setOfTexts,
  submitting_participant_uid: string,
  verdict_result: oneOf('VERDICT_RESULT_UNSPECIFIED', 'VERDICT_RESULT_ACCEPTED', 'VERDICT_RESULT_REJECTED'),
  mediator_group: integer,
  round_number: optional(withoutVote('round_number', integer)),
  transaction_views: object({
    views: list(
      object({
        view_id: integer,
        informees: setOfTexts,
        confirming_parties: list(object({ parties: setOfTexts, threshold: integer })),
        sub_views: list(integer),
        view_hash: withoutVote('view_hash', string),
      }),
    ),
    root_views: list(integer),
  }),
})
const traffic = object({
  total_traffic_cost: integer,
  envelope_traffic_summaries: list(object({ traffic_cost: integer, view_ids: list(integer) })),
})
const activity = object({
  round_number: integer,
  records: list(object({ party: string, weight: integer })),
})
const knownEvent = object({
  update: optional(update),
  verdict: optional(verdict),
  traffic_summary: optional(withoutVote('traffic_summary', traffic)),
  app_activity_records: optional(withoutVote('app_activity_records', activity)),
})

const event = firstOf(leaf<never>('other history item'), knownEvent)

type Event = TypeOf<typeof event>

function recordOfEvent(item: Event): Recorded {
  if (isOtherHistoryItem(item)) return recordedIn(item) ?? unrecorded
  const { update: changed, verdict: said } = item
  if (said !== null) return { migrationId: said.migration_id, recordTime: said.record_time }
  return changed === null ? unrecorded : recordOf(changed)
}

const events = object({ events: list(event) })
const history = {
  list: ({ events: all }: TypeOf<typeof events>) => all,
  make: (all: readonly Event[]) => ({ events: [...all] }),
}

export const getEventHistory = defineRead({
  id: 'getEventHistory',
  summary: 'Updates with the verdicts on them in their order: a page that follows from the one before.',
  method: 'POST',
  scanPath: '/v0/events',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: pageOfHistory, maxBytes: '64KiB' },
  reply: events,
  answersQuestion: ({ events: all }, params) => followsFrom(all.map(recordOfEvent), params),
  own: ownHashes(history),
  normalises: ofEvents,
  agree: historyOf({ on: 'history', ...history, moment: (item) => momentOf(recordOfEvent(item)) }),
  version: byLastItem(({ events: all }: { readonly events: readonly Event[] }) => {
    const last = all.at(-1)
    return last && recordOfEvent(last)
  }),
  absent: [],
  cache: pageCache,
  maxBytes: '32MiB',
  holders: historyFrom,
})

export const getEventById = defineRead({
  id: 'getEventById',
  summary: 'An update with the verdict on it, by its id.',
  method: 'GET',
  scanPath: '/v0/events/{update_id}',
  alsoWithoutPrefix: false,
  params: [updateIdParam, encodingParam],
  reply: event,
  answersQuestion: (item, params) => {
    const ids = partsOf(item).flatMap(({ update_id: id }) => (id === undefined ? [] : [id]))
    return ids.length > 0 && ids.every((id) => id === params['update_id'])
  },
  own: ownHash<TypeOf<typeof event>>(),
  normalises: ofEvents,
  agree: { on: 'whole' },
  absent: ['Event with id {update_id} not found', '*'],
  cache: oneCache,
  maxBytes: '32MiB',
  holders: wholeHistory,
})

const latest = object({ record_time: isoTime })

export const getLatestEventRecordTime = defineRead({
  id: 'getLatestEventRecordTime',
  summary: 'The latest record time up to which enough super validators can answer `/v0/events`.',
  method: 'GET',
  scanPath: '/v0/events/latest-record-time',
  alsoWithoutPrefix: false,
  params: [],
  reply: latest,
  agree: { on: 'reached', time: ({ record_time }) => instantKey(record_time) },
  version: { of: ({ record_time }) => instantKey(record_time), absence: 'newer' },
  absent: [],
  cache: { fresh: '1s', stale: '5s', absent: '1s' },
  maxBytes: '64KiB',
})
