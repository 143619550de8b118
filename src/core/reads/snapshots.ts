import { compareCodePoints } from './code-points.ts'
import { byCreation, isoTime } from './contract.ts'
import {
  activeContract,
  type pageV0,
  type pageV1,
  type pageV2,
  type summariesV1,
} from './endpoints/snapshots.ts'
import { snapshotOfMigration } from './holding.ts'
import { canonicalInstant, instantKey } from './instant.ts'
import { atMost, firstOf, integer, list, object, optional, string, type TypeOf } from './pattern.ts'
import { defineRead, type OwnTexts, type Pages, type PageToken, type Params } from './read.ts'
import { bodyParam } from './request.ts'
import { thereIsMore } from './topology.ts'

export const getDateOfMostRecentSnapshotBefore = defineRead('getDateOfMostRecentSnapshotBefore', {
  summary: 'The record time of the last snapshot before a time.',
  answersQuestion: ({ record_time }, params) =>
    instantKey(record_time) <= instantKey(params['before'] ?? null),
  version: {
    of: ({ record_time }) => instantKey(record_time),
    absence: 'newer',
    hasUnboundedQuestions: true,
  },
  absent: ['No snapshots found before {before}', 'No snapshots found before *'],
  cache: { fresh: '30s', stale: '5m', absent: '5s' },
  holders: snapshotOfMigration('before'),
})

export const getDateOfFirstSnapshotAfter = defineRead('getDateOfFirstSnapshotAfter', {
  summary: 'The record time of the first snapshot after a time.',
  // The time is not compared with `after`: a scan without a later snapshot of the migration answers
  // with the first of the next migration, which may be earlier than `after`.
  absent: ['No snapshots found after {after}', 'No snapshots found after *'],
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
  holders: snapshotOfMigration('after'),
})

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

/** Sorts the contracts of a page, and replaces the scan's token in the vote. */
function asPage<Mark>(mark: Mark) {
  return (page: SnapshotPage) => ({
    ...page,
    created_events: page.created_events.toSorted(byCreation),
    next_page_token: page.next_page_token === null ? null : mark,
  })
}

function asV0(page: SnapshotPage): TypeOf<typeof pageV0> {
  const { created_events: events, ...rest } = asPage(thereIsMore)(page)
  const created_events = events.map(
    ({ created_in_update_id: _, ...event }) =>
      ({ event_type: 'created_event', event_id: '', ...event }) as const,
  )
  return { ...rest, created_events }
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

type SnapshotForms = typeof acsForms | typeof holdingsForms

function pagesOf(forms: SnapshotForms): Pages<SnapshotPage> {
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
  answersQuestion: (page: SnapshotPage, params: Params) =>
    isOfSnapshot(page, params) && page.created_events.length <= asked(params).page_size,
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

function v0(what: string, forms: SnapshotForms) {
  return {
    ...paged,
    summary: `${what}: one page, in the form of v0 (deprecated by Splice).`,
    forms,
    normalise: asV0,
    normalises: `${inOrder}; ${withoutEventIds}; ${lastOrNot}`,
    maxBodyBytes: '256KiB',
  } as const
}

function v1(what: string, forms: SnapshotForms) {
  return {
    ...paged,
    summary: `${what}: one page (deprecated by Splice).`,
    forms,
    normalise: asPage(thereIsMore),
    own: ownUpdateIds<TypeOf<typeof pageV1>>(),
    normalises: `${inOrder}; ${ownIds}; ${lastOrNot}`,
    maxBodyBytes: '256KiB',
  } as const
}

function v2(what: string, forms: SnapshotForms) {
  return {
    ...paged,
    summary: `${what}, page by page.`,
    forms,
    pages: pagesOf(forms),
    normalise: asPage(nextPage),
    own: ownUpdateIds<TypeOf<typeof pageV2>>(),
    normalises: `${inOrder}; ${ownIds}; \`next_page_token\` is this daemon's own, made of those of the scans that agree`,
    maxBodyBytes: '1MiB',
  } as const
}

const contracts = 'The contracts that were active at a snapshot'
const coins = 'The coins that parties had at a snapshot'

export const getAcsSnapshotAt = defineRead('getAcsSnapshotAt', v0(contracts, acsForms))
export const getAcsSnapshotAtV1 = defineRead('getAcsSnapshotAtV1', v1(contracts, acsForms))
export const getAcsSnapshotAtV2 = defineRead('getAcsSnapshotAtV2', v2(contracts, acsForms))
export const getHoldingsStateAt = defineRead('getHoldingsStateAt', v0(coins, holdingsForms))
export const getHoldingsStateAtV1 = defineRead('getHoldingsStateAtV1', v1(coins, holdingsForms))
export const getHoldingsStateAtV2 = defineRead('getHoldingsStateAtV2', v2(coins, holdingsForms))

type HoldingsSummaries = TypeOf<typeof summariesV1>

function isOfOwners(value: HoldingsSummaries, params: Params): boolean {
  const owners = asked(params).owner_party_ids ?? []
  return isOfSnapshot(value, params) && value.summaries.every(({ party_id: id }) => owners.includes(id))
}

function byParty(a: { readonly party_id: string }, b: { readonly party_id: string }): number {
  return compareCodePoints(a.party_id, b.party_id)
}

const summaries = {
  answersQuestion: isOfOwners,
  normalise: <Value extends HoldingsSummaries>(value: Value) => ({
    ...value,
    summaries: value.summaries.toSorted(byParty),
  }),
  normalises: '`summaries` are by party',
  version: bySnapshot,
  absent: ['Summary not found for given parameters', 'No snapshots found before *', noSnapshotThen],
  maxBodyBytes: '256KiB',
  maxBytes: '4MiB',
  holders: snapshotOfMigration(),
} as const

export const getHoldingsSummaryAt = defineRead('getHoldingsSummaryAt', {
  ...summaries,
  summary: 'What parties had at a snapshot, less fees as of a round (deprecated by Splice).',
  proxy: { method: 'POST', path: '/v0/scan-proxy/holdings/summary' },
})

export const getHoldingsSummaryAtV1 = defineRead('getHoldingsSummaryAtV1', {
  ...summaries,
  summary: 'What parties had at a snapshot.',
  proxy: { method: 'POST', path: '/v1/scan-proxy/holdings/summary' },
  cache: { fresh: '10m', stale: '1h', absent: '5s' },
})

function keysIn(params: Params): readonly string[] {
  return (JSON.parse(params[bodyParam] ?? '{}') as { readonly object_keys: readonly string[] }).object_keys
}

export const getBulkObjectChecksums = defineRead('getBulkObjectChecksums', {
  summary:
    'The digests of files in bulk storage, in the order in which they are asked for; null for unknown ones.',
  answersQuestion: (value, params) => value.checksums.length === keysIn(params).length,
  maxBodyBytes: '256KiB',
  maxBytes: '1MiB',
})
