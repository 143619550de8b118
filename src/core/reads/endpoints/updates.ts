import type { Json } from '../../../base/lib/canonical-json.ts'
import { contractOfEvent, isoTime, oneOf, setOfTexts, withoutVote } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { choiceInQuery, optionalParam, textIn } from '../params.ts'
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
} from '../pattern.ts'
import { maybe, pageSize, text, time } from '../request-bodies.ts'

const json = leaf<Json>('json')

const strings = list(string)

export const created = object({
  event_type: literal('created_event'),
  event_id: string,
  ...contractOfEvent,
})

export const exercised = object({
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

export const transaction = object({
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

export const update = firstOf(transaction, reassignment, otherUpdate)

export const updateV1 = firstOf(transactionV1, reassignment, otherUpdate)

const encodings = ['compact_json', 'protobuf_json'] as const
const encoding = maybe(literal(...encodings), { otherwise: 'compact_json' })

const pageOfHistory = object({
  after: maybe(object({ after_migration_id: integer, after_record_time: time })),
  page_size: pageSize,
  daml_value_encoding: encoding,
})

const encodingParam = optionalParam(choiceInQuery('daml_value_encoding', encodings))

const updateIdParam = textIn('update_id', 'path')

const page = object({ transactions: list(update) })

const pageV1 = object({ transactions: list(updateV1) })

const updateByHash = firstOf(
  object({ ...transaction.object, external_transaction_hash: string }),
  reassignment,
  otherUpdate,
)

const verdict = object({
  update_id: string,
  migration_id: integer,
  domain_id: string,
  record_time: isoTime,
  finalization_time: withoutVote('finalization_time', string),
  submitting_parties: setOfTexts,
  submitting_participant_uid: string,
  verdict_result: oneOf<
    'VERDICT_RESULT_UNSPECIFIED' | 'VERDICT_RESULT_ACCEPTED' | 'VERDICT_RESULT_REJECTED'
  >(),
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

export const event = firstOf(leaf<never>('other history item'), knownEvent)

export const events = object({ events: list(event) })

const latest = object({ record_time: isoTime })

export const endpoints = {
  getUpdateHistoryV2: post('/v2/updates', {
    body: pageOfHistory,
    reply: page,
  }),
  getUpdateByIdV2: get('/v2/updates/{update_id}', {
    params: [updateIdParam, encodingParam],
    reply: update,
    repeats: { member: ['update_id'], param: 'update_id' },
  }),
  getUpdateByHash: get('/v2/updates/hash/{hash}', {
    params: [textIn('hash', 'path'), encodingParam],
    reply: updateByHash,
  }),
  getUpdateHistoryV1: post('/v1/updates', {
    body: pageOfHistory,
    reply: pageV1,
  }),
  getUpdateByIdV1: get('/v1/updates/{update_id}', {
    params: [updateIdParam, encodingParam],
    reply: updateV1,
    repeats: { member: ['update_id'], param: 'update_id' },
  }),
  getUpdatesBefore: post('/v0/backfilling/updates-before', {
    body: object({
      migration_id: integer,
      synchronizer_id: text,
      before: time,
      at_or_after: maybe(time),
      count: pageSize,
    }),
    reply: pageV1,
  }),
  getImportUpdates: post('/v0/backfilling/import-updates', {
    body: object({ migration_id: integer, after_update_id: text, limit: pageSize }),
    reply: pageV1,
  }),
  getEventHistory: post('/v0/events', { body: pageOfHistory, reply: events }),
  getEventById: get('/v0/events/{update_id}', { params: [updateIdParam, encodingParam], reply: event }),
  getLatestEventRecordTime: get('/v0/events/latest-record-time', { reply: latest }),
}
