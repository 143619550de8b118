import { compareCodePoints } from './code-points.ts'
import { decimal, isoTime, jsonObject, setOfTexts } from './contract.ts'
import { snapshotOfMigration } from './holding.ts'
import { canonicalInstant, instantKey } from './instant.ts'
import { longestList } from './page-size.ts'
import { integerIn, timeInQuery } from './params.ts'
import { atMost, firstOf, integer, list, literal, object, optional, string, type TypeOf } from './pattern.ts'
import { defineRead, type OwnTexts, type Pages, type PageToken, type Params } from './read.ts'
import { bodyParam } from './request.ts'
import { maybe, noToken, pageSize, parties, text, texts, time } from './request-bodies.ts'
import { thereIsMore } from './topology.ts'

const migrationId = integerIn('migration_id', 'query', 'The migration whose snapshots are meant.')
const snapshotTime = object({ record_time: isoTime })

export const getDateOfMostRecentSnapshotBefore = defineRead({
  id: 'getDateOfMostRecentSnapshotBefore',
  summary: 'The record time of the last snapshot before a time.',
  method: 'GET',
  scanPath: '/v0/state/acs/snapshot-timestamp',
  alsoWithoutPrefix: false,
  params: [timeInQuery('before', 'The snapshot is not later than this.'), migrationId],
  reply: snapshotTime,
  answersQuestion: ({ record_time }, params) =>
    instantKey(record_time) <= instantKey(params['before'] ?? null),
  agree: { on: 'whole' },
  version: {
    of: ({ record_time }) => instantKey(record_time),
    absence: 'newer',
    hasUnboundedQuestions: true,
  },
  absent: ['No snapshots found before {before}', 'No snapshots found before *'],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  maxBytes: '64KiB',
  holders: snapshotOfMigration('before'),
})

export const getDateOfFirstSnapshotAfter = defineRead({
  id: 'getDateOfFirstSnapshotAfter',
  summary: 'The record time of the first snapshot after a time.',
  method: 'GET',
  scanPath: '/v0/state/acs/snapshot-timestamp-after',
  alsoWithoutPrefix: false,
  params: [timeInQuery('after', 'The snapshot is later than this.'), migrationId],
  reply: snapshotTime,
  // The time is not compared with `after`: a scan without a later snapshot of the migration answers
  // with the first of the next migration, which may be earlier than `after`.
  agree: { on: 'whole' },
  absent: ['No snapshots found after {after}', 'No snapshots found after *'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '64KiB',
  holders: snapshotOfMigration('after'),
})

const snapshot = {
  migration_id: integer,
  record_time: time,
  record_time_match: maybe(literal('exact', 'at_or_before'), { otherwise: 'exact' }),
}
const inV2 = 'Use /v2, whose tokens go on with a page.'
const notContinued = { after: noToken(inV2), page_size: pageSize }
const continued = { after: maybe(string), page_size: pageSize }

const contractOfEvent = {
  contract_id: string,
  template_id: string,
  package_name: string,
  create_arguments: jsonObject,
  created_at: isoTime,
  signatories: setOfTexts,
  observers: setOfTexts,
}
const activeContract = object({ created_in_update_id: optional(string), ...contractOfEvent })
export type SnapshotContract = TypeOf<typeof activeContract>

/** Tokens of Splice 0.9 have less than 400 characters. */
const longestToken = 1024

/** A page as scans send it, in any form. */
const snapshotPage = object({
  record_time: isoTime,
  migration_id: integer,
  created_events: list(activeContract),
  next_page_token: optional<PageToken>(firstOf(integer, atMost(longestToken, string))),
})
export type SnapshotPage = TypeOf<typeof snapshotPage>

/** The forms of a snapshot's pages. Splice has v2 since 0.7.5, and not v1 since 0.9. */
export const acsForms = { paths: ['/v2/state/acs', '/v1/state/acs'], reply: snapshotPage } as const
const holdingsForms = { paths: ['/v2/holdings/state', '/v1/holdings/state'], reply: snapshotPage } as const

/** Returns the path of the form whose tokens are of this kind. */
export function pathTaking(
  token: PageToken,
  { paths: [v2, v1] }: { readonly paths: readonly [string, string] },
): string {
  return typeof token === 'string' ? v2 : v1
}

const snapshotOf = { record_time: isoTime, migration_id: integer }
const pageV0 = object({
  ...snapshotOf,
  created_events: list(
    object({ event_type: literal('created_event'), event_id: string, ...contractOfEvent }),
  ),
  next_page_token: optional(integer),
})
const pageV1 = object({
  ...snapshotOf,
  created_events: list(activeContract),
  next_page_token: optional(integer),
})
const pageV2 = object({
  ...snapshotOf,
  created_events: list(activeContract),
  next_page_token: optional(string),
})

function asked(params: Params) {
  return JSON.parse(params[bodyParam] ?? '{}') as {
    readonly migration_id: number
    readonly record_time: string
    readonly record_time_match: 'exact' | 'at_or_before'
    readonly page_size: number
    readonly owner_party_ids?: readonly string[]
  }
}

function isOfSnapshot(
  { record_time, migration_id }: Pick<SnapshotPage, 'record_time' | 'migration_id'>,
  params: Params,
): boolean {
  const { migration_id: migration, record_time: wanted, record_time_match: match } = asked(params)
  if (migration_id !== migration) return false
  return match === 'exact'
    ? canonicalInstant(record_time) === wanted
    : instantKey(record_time) <= instantKey(wanted)
}

/**
 * A question for the latest snapshot up to a time has the snapshot's time as its version. A
 * question for an exact time has none, because that snapshot never changes.
 */
const bySnapshot = {
  of: ({ record_time }: { readonly record_time: string }, params: Params) =>
    asked(params).record_time_match === 'exact' ? undefined : instantKey(record_time),
  absence: 'newer',
  hasUnboundedQuestions: true,
} as const

/** Sorts the contracts of a page by their creation. */
function sorted(events: readonly SnapshotContract[]): SnapshotContract[] {
  return events.toSorted(
    (a, b) =>
      compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
      compareCodePoints(a.contract_id, b.contract_id),
  )
}

/** Replaces a scan's token in the vote. */
function placeholder<Mark>({ next_page_token: token }: SnapshotPage, mark: Mark): Mark | null {
  return token === null ? null : mark
}

function asV0(page: SnapshotPage): TypeOf<typeof pageV0> {
  const events = sorted(page.created_events).map(
    ({ created_in_update_id: _, ...event }) =>
      ({ event_type: 'created_event', event_id: '', ...event }) as const,
  )
  return { ...page, created_events: events, next_page_token: placeholder(page, thereIsMore) }
}

function asV1(page: SnapshotPage): TypeOf<typeof pageV1> {
  return {
    ...page,
    created_events: sorted(page.created_events),
    next_page_token: placeholder(page, thereIsMore),
  }
}

function asV2(page: SnapshotPage): TypeOf<typeof pageV2> {
  return {
    ...page,
    created_events: sorted(page.created_events),
    next_page_token: placeholder(page, nextPage),
  }
}

/**
 * Each scan may give ids of its own for the updates in which a migration imported contracts, or
 * none.
 */
function ownUpdateIds<
  Page extends { readonly created_events: readonly SnapshotContract[] },
>(): OwnTexts<Page> {
  return {
    of: ({ created_events: events }) => events.map(({ created_in_update_id: id }) => id),
    put: (page, textAt) => ({
      ...page,
      created_events: page.created_events.map((event, index) => ({
        ...event,
        created_in_update_id: textAt(index),
      })),
    }),
  }
}

const nextPage = 'next page'

function pagesOf(forms: Parameters<typeof pathTaking>[1]): Pages<SnapshotPage> {
  return {
    next: ({ next_page_token: token }) => token ?? undefined,
    pathTaking: (token) => pathTaking(token, forms),
    time: ({ record_time: time }) => canonicalInstant(time) ?? time,
    mark: nextPage,
  }
}

const noSnapshotThen = 'Failed to find ACS snapshot for migration id *'
const absent = ['No snapshots found before the given time.', 'No snapshots found before *', noSnapshotThen]

const paged = {
  method: 'POST',
  alsoWithoutPrefix: false,
  params: [],
  answersQuestion: (page: SnapshotPage, params: Params) =>
    isOfSnapshot(page, params) && page.created_events.length <= asked(params).page_size,
  agree: { on: 'whole' },
  version: bySnapshot,
  absent,
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '32MiB',
  holders: snapshotOfMigration(),
} as const

const inOrder = 'contracts are by their creation'
const ownIds =
  '`created_in_update_id` is null where no threshold of super validators gives the same, and takes no part in the vote'
const lastOrNot = '`next_page_token` is 1 where there is more, and null where there is not'
const withoutEventIds = '`event_id` is empty, because each scan has its own'

const contractsOf = { ...snapshot, party_ids: maybe(parties), templates: maybe(texts) }
const coinsOf = { ...snapshot, owner_party_ids: parties }

export const getAcsSnapshotAt = defineRead({
  ...paged,
  id: 'getAcsSnapshotAt',
  summary:
    'The contracts that were active at a snapshot: one page, in the form of v0 (deprecated by Splice).',
  scanPath: '/v0/state/acs',
  forms: acsForms,
  body: { pattern: object({ ...contractsOf, ...notContinued }), maxBytes: '256KiB' },
  reply: pageV0,
  normalise: asV0,
  normalises: `${inOrder}; ${withoutEventIds}; ${lastOrNot}`,
})

export const getAcsSnapshotAtV1 = defineRead({
  ...paged,
  id: 'getAcsSnapshotAtV1',
  summary: 'The contracts that were active at a snapshot: one page (deprecated by Splice).',
  scanPath: '/v1/state/acs',
  forms: acsForms,
  body: { pattern: object({ ...contractsOf, ...notContinued }), maxBytes: '256KiB' },
  reply: pageV1,
  normalise: asV1,
  own: ownUpdateIds<TypeOf<typeof pageV1>>(),
  normalises: `${inOrder}; ${ownIds}; ${lastOrNot}`,
})

export const getAcsSnapshotAtV2 = defineRead({
  ...paged,
  id: 'getAcsSnapshotAtV2',
  summary: 'The contracts that were active at a snapshot, page by page.',
  scanPath: '/v2/state/acs',
  forms: acsForms,
  pages: pagesOf(acsForms),
  body: { pattern: object({ ...contractsOf, ...continued }), maxBytes: '1MiB' },
  reply: pageV2,
  normalise: asV2,
  own: ownUpdateIds<TypeOf<typeof pageV2>>(),
  normalises: `${inOrder}; ${ownIds}; \`next_page_token\` is this daemon's own, made of those of the scans that agree`,
})

export const getHoldingsStateAt = defineRead({
  ...paged,
  id: 'getHoldingsStateAt',
  summary: 'The coins that parties had at a snapshot: one page, in the form of v0 (deprecated by Splice).',
  scanPath: '/v0/holdings/state',
  forms: holdingsForms,
  body: { pattern: object({ ...coinsOf, ...notContinued }), maxBytes: '256KiB' },
  reply: pageV0,
  normalise: asV0,
  normalises: `${inOrder}; ${withoutEventIds}; ${lastOrNot}`,
})

export const getHoldingsStateAtV1 = defineRead({
  ...paged,
  id: 'getHoldingsStateAtV1',
  summary: 'The coins that parties had at a snapshot: one page (deprecated by Splice).',
  scanPath: '/v1/holdings/state',
  forms: holdingsForms,
  body: { pattern: object({ ...coinsOf, ...notContinued }), maxBytes: '256KiB' },
  reply: pageV1,
  normalise: asV1,
  own: ownUpdateIds<TypeOf<typeof pageV1>>(),
  normalises: `${inOrder}; ${ownIds}; ${lastOrNot}`,
})

export const getHoldingsStateAtV2 = defineRead({
  ...paged,
  id: 'getHoldingsStateAtV2',
  summary: 'The coins that parties had at a snapshot, page by page.',
  scanPath: '/v2/holdings/state',
  forms: holdingsForms,
  pages: pagesOf(holdingsForms),
  body: { pattern: object({ ...coinsOf, ...continued }), maxBytes: '1MiB' },
  reply: pageV2,
  normalise: asV2,
  own: ownUpdateIds<TypeOf<typeof pageV2>>(),
  normalises: `${inOrder}; ${ownIds}; \`next_page_token\` is this daemon's own, made of those of the scans that agree`,
})

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
const summariesV1 = object({
  record_time: isoTime,
  migration_id: integer,
  summaries: list(summaryV1),
})

type HoldingsSummaries = TypeOf<typeof summariesV1>

function isOfOwners(value: HoldingsSummaries, params: Params): boolean {
  const owners = asked(params).owner_party_ids ?? []
  return isOfSnapshot(value, params) && value.summaries.every(({ party_id: id }) => owners.includes(id))
}

function byParty(a: { readonly party_id: string }, b: { readonly party_id: string }): number {
  return compareCodePoints(a.party_id, b.party_id)
}

const summaryAbsent = [
  'Summary not found for given parameters',
  'No snapshots found before *',
  noSnapshotThen,
]

export const getHoldingsSummaryAt = defineRead({
  id: 'getHoldingsSummaryAt',
  summary: 'What parties had at a snapshot, less fees as of a round (deprecated by Splice).',
  method: 'POST',
  scanPath: '/v0/holdings/summary',
  alsoWithoutPrefix: false,
  proxy: { method: 'POST', path: '/v0/scan-proxy/holdings/summary' },
  params: [],
  body: {
    pattern: object({ ...snapshot, owner_party_ids: parties, as_of_round: maybe(integer) }),
    maxBytes: '256KiB',
  },
  reply: summaries,
  answersQuestion: isOfOwners,
  normalise: (value) => ({ ...value, summaries: value.summaries.toSorted(byParty) }),
  normalises: '`summaries` are by party',
  agree: { on: 'whole' },
  version: bySnapshot,
  absent: summaryAbsent,
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '4MiB',
  holders: snapshotOfMigration(),
})

export const getHoldingsSummaryAtV1 = defineRead({
  id: 'getHoldingsSummaryAtV1',
  summary: 'What parties had at a snapshot.',
  method: 'POST',
  scanPath: '/v1/holdings/summary',
  alsoWithoutPrefix: false,
  proxy: { method: 'POST', path: '/v1/scan-proxy/holdings/summary' },
  params: [],
  body: { pattern: object({ ...snapshot, owner_party_ids: parties }), maxBytes: '256KiB' },
  reply: summariesV1,
  answersQuestion: isOfOwners,
  normalise: (value) => ({ ...value, summaries: value.summaries.toSorted(byParty) }),
  normalises: '`summaries` are by party',
  agree: { on: 'whole' },
  version: bySnapshot,
  absent: summaryAbsent,
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  maxBytes: '4MiB',
  holders: snapshotOfMigration(),
})

const checksums = object({ checksums: list(object({ value: optional(string) })) })

function keysIn(params: Params): readonly string[] {
  return (JSON.parse(params[bodyParam] ?? '{}') as { readonly object_keys: readonly string[] }).object_keys
}

export const getBulkObjectChecksums = defineRead({
  id: 'getBulkObjectChecksums',
  summary:
    'The digests of files in bulk storage, in the order in which they are asked for; null for unknown ones.',
  method: 'POST',
  scanPath: '/v0/history/bulk/checksums',
  alsoWithoutPrefix: false,
  params: [],
  body: { pattern: object({ object_keys: atMost(longestList, list(text)) }), maxBytes: '256KiB' },
  reply: checksums,
  answersQuestion: (value, params) => value.checksums.length === keysIn(params).length,
  agree: { on: 'whole' },
  absent: [],
  cache: { fresh: '1m', stale: '10m', absent: '5s' },
  maxBytes: '1MiB',
})
