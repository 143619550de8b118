import { contractOfEvent, decimal, isoTime } from '../contract.ts'
import { get, post } from '../endpoint.ts'
import { longestList } from '../param-text.ts'
import { integerIn, timeIn } from '../params.ts'
import { atMost, integer, list, literal, object, optional, string } from '../pattern.ts'
import { maybe, noToken, pageSize, parties, text, texts, time } from '../request-bodies.ts'

const migrationId = integerIn('migration_id', 'query')

const snapshotTime = object({ record_time: isoTime })

const snapshot = {
  migration_id: integer,
  record_time: time,
  record_time_match: maybe(literal('exact', 'at_or_before'), { otherwise: 'exact' }),
}

const inV2 = 'Use /v2, whose tokens go on with a page.'

const notContinued = { after: noToken(inV2), page_size: pageSize }

const continued = { after: maybe(string), page_size: pageSize }

export const activeContract = object({ created_in_update_id: optional(string), ...contractOfEvent })

const snapshotOf = { record_time: isoTime, migration_id: integer }

export const pageV0 = object({
  ...snapshotOf,
  created_events: list(
    object({ event_type: literal('created_event'), event_id: string, ...contractOfEvent }),
  ),
  next_page_token: optional(integer),
})

export const pageV1 = object({
  ...snapshotOf,
  created_events: list(activeContract),
  next_page_token: optional(integer),
})

export const pageV2 = object({
  ...snapshotOf,
  created_events: list(activeContract),
  next_page_token: optional(string),
})

const contractsOf = { ...snapshot, party_ids: maybe(parties), templates: maybe(texts) }

const coinsOf = { ...snapshot, owner_party_ids: parties }

const summaryV1 = object({
  party_id: string,
  total_unlocked_coin: decimal,
  total_locked_coin: decimal,
  total_coin_holdings: decimal,
})

const summaries = object({
  record_time: isoTime,
  migration_id: integer,
  computed_as_of_round: integer,
  summaries: list(
    object({
      ...summaryV1.object,
      accumulated_holding_fees_unlocked: decimal,
      accumulated_holding_fees_locked: decimal,
      accumulated_holding_fees_total: decimal,
      total_available_coin: decimal,
    }),
  ),
})

export const summariesV1 = object({
  record_time: isoTime,
  migration_id: integer,
  summaries: list(summaryV1),
})

const checksums = object({ checksums: list(object({ value: optional(string) })) })

export const endpoints = {
  getDateOfMostRecentSnapshotBefore: get('/v0/state/acs/snapshot-timestamp', {
    params: [timeIn('before', 'query'), migrationId],
    reply: snapshotTime,
  }),
  getDateOfFirstSnapshotAfter: get('/v0/state/acs/snapshot-timestamp-after', {
    params: [timeIn('after', 'query'), migrationId],
    reply: snapshotTime,
  }),
  getAcsSnapshotAt: post('/v0/state/acs', {
    body: object({ ...contractsOf, ...notContinued }),
    reply: pageV0,
  }),
  getAcsSnapshotAtV1: post('/v1/state/acs', {
    body: object({ ...contractsOf, ...notContinued }),
    reply: pageV1,
  }),
  getAcsSnapshotAtV2: post('/v2/state/acs', {
    body: object({ ...contractsOf, ...continued }),
    reply: pageV2,
  }),
  getHoldingsStateAt: post('/v0/holdings/state', {
    body: object({ ...coinsOf, ...notContinued }),
    reply: pageV0,
  }),
  getHoldingsStateAtV1: post('/v1/holdings/state', {
    body: object({ ...coinsOf, ...notContinued }),
    reply: pageV1,
  }),
  getHoldingsStateAtV2: post('/v2/holdings/state', {
    body: object({ ...coinsOf, ...continued }),
    reply: pageV2,
  }),
  getHoldingsSummaryAt: post('/v0/holdings/summary', {
    body: object({ ...snapshot, owner_party_ids: parties, as_of_round: maybe(integer) }),
    reply: summaries,
  }),
  getHoldingsSummaryAtV1: post('/v1/holdings/summary', {
    body: object({ ...snapshot, owner_party_ids: parties }),
    reply: summariesV1,
  }),
  getBulkObjectChecksums: post('/v0/history/bulk/checksums', {
    body: object({ object_keys: atMost(longestList, list(text)) }),
    reply: checksums,
  }),
}
