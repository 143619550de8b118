import { isoTime } from './contract.ts'
import { instantKey } from './instant.ts'
import {
  atMost,
  boolean,
  integer,
  list,
  nullable,
  object,
  omittable,
  type PatternOf,
  string,
  type TypeOf,
} from './pattern.ts'
import type { Holders, Holding, Params } from './read.ts'
import { bodyParam } from './request.ts'

function holding<Said>(
  asked: Pick<Holding, 'method' | 'path' | 'body'>,
  reply: PatternOf<Said>,
  isHeldBy: (said: Said) => boolean,
): Holding {
  return { ...asked, reply, isHeldBy: (said) => said !== null && isHeldBy(said as Said) }
}

const everything = holding(
  { method: 'GET', path: '/v0/backfilling/status' },
  object({ complete: boolean }),
  ({ complete }) => complete,
)

/**
 * The scans that have loaded all history. A scan that has loaded only a part answers neither pages
 * nor lookups of history (HttpScanHandler.scala of Splice 0.7.5).
 */
export const wholeHistory: Holders = {
  sentence: 'have loaded all history (`/v0/backfilling/status`)',
  of: () => everything,
}

const range = object({ synchronizer_id: string, min: isoTime, max: isoTime })
export const migrationInfo = object({
  record_time_range: atMost(100, list(range)),
  complete: boolean,
  import_updates_complete: omittable(nullable(boolean)),
})

export type MigrationInfo = TypeOf<typeof migrationInfo>

export const recordTime = object({ record_time: isoTime })

/**
 * Times before and after all times of a ledger. A question with one of them does not depend on this
 * machine's clock.
 */
const earliest = '0001-01-01T00:00:00Z'
export const endOfTime = '9999-12-31T00:00:00Z'

export function snapshotQuestion(
  path: string,
  query: string,
  migrationId: number,
): Pick<Holding, 'method' | 'path'> {
  return { method: 'GET', path: `/v0/state/acs/${path}?${query}&migration_id=${migrationId}` }
}

function ofMigration(migrationId: unknown, isHeldBy: (said: MigrationInfo) => boolean): Holding {
  return holding(migrationInfoQuestion(Number(migrationId)), migrationInfo, isHeldBy)
}

/**
 * Like `ofMigration`, for statements on where the history begins: the first snapshot tells this too.
 * A scan prunes updates and snapshots alike, and has a snapshot at most three hours after its first
 * update.
 */
function beginningOf(migrationId: unknown, isHeldBy: (said: MigrationInfo) => boolean): Holding {
  const firstSnapshot = snapshotQuestion('snapshot-timestamp-after', `after=${earliest}`, Number(migrationId))
  return {
    ...ofMigration(migrationId, isHeldBy),
    otherwise: holding(firstSnapshot, recordTime, ({ record_time: min }) =>
      isHeldBy({ record_time_range: [{ synchronizer_id: '', min, max: endOfTime }], complete: true }),
    ),
  }
}

export function migrationInfoQuestion(migrationId: number) {
  const body = `{"migration_id":${migrationId}}`
  return { method: 'POST', path: '/v0/backfilling/migration-info', body } as const
}

export function migrationInfoRequest(migrationId: number): Holding {
  return holding(migrationInfoQuestion(migrationId), migrationInfo, () => true)
}

function begins({ record_time_range: ranges }: MigrationInfo, at: unknown): boolean {
  return typeof at === 'string' && ranges.some(({ min }) => instantKey(min) <= instantKey(at))
}

function beginsAfter(said: MigrationInfo, at: unknown): boolean {
  return said.record_time_range.length > 0 && typeof at === 'string' && !begins(said, at)
}

function bodyOf(params: Params): Readonly<Record<string, unknown>> {
  return JSON.parse(params[bodyParam] ?? '{}')
}

/**
 * The scans that have loaded all history and, if the page starts after an update, have not pruned
 * that update.
 */
export const historyFrom: Holders = {
  sentence:
    'have loaded all history (`/v0/backfilling/status`) and still have what the page follows from (`/v0/backfilling/migration-info`, or else their first snapshot)',
  of(params) {
    const { after } = bodyOf(params) as { after?: { after_migration_id: number; after_record_time: string } }
    if (after === undefined) return everything
    const { after_migration_id: migration, after_record_time: time } = after
    return { ...everything, and: beginningOf(migration, (said) => begins(said, time)) }
  },
}

/**
 * The scans that hold the updates of a migration in a time range. With `at_or_after`, their updates
 * begin at that time or earlier. Without `at_or_after`, the scans have loaded the whole migration,
 * and their updates do not begin after `before`; they may have pruned earlier updates.
 *
 * Splice instead asks all scans that have a part of the range, for the part that all of them have
 * (BftScanConnection.getUpdatesBefore).
 */
export const updatesOfMigration: Holders = {
  sentence:
    'have loaded updates of that time, and not pruned them (`/v0/backfilling/migration-info`, or else their first snapshot)',
  of(params) {
    const { migration_id: migration, at_or_after: from, before } = bodyOf(params)
    return beginningOf(migration, (said) =>
      from === undefined ? said.complete && !beginsAfter(said, before) : begins(said, from),
    )
  },
}

/**
 * The scans that have loaded all import updates of the migration, as in
 * BftScanConnection.getImportUpdates.
 */
export const importsOfMigration: Holders = {
  sentence: 'have loaded all that the migration began with (`/v0/backfilling/migration-info`)',
  of: (params) =>
    ofMigration(bodyOf(params)['migration_id'], (said) => said.import_updates_complete === true),
}

/**
 * Returns the scans that have the updates from a snapshot's time on.
 * @param parameter the parameter that contains the time; if absent, the time is in the body.
 */
export function snapshotOfMigration(parameter?: string): Holders {
  return {
    sentence:
      'have loaded updates of that time, and not pruned them (`/v0/backfilling/migration-info`, or else their first snapshot)',
    of(params) {
      const { migration_id: migration, record_time: time } =
        parameter === undefined
          ? bodyOf(params)
          : { migration_id: params['migration_id'], record_time: params[parameter] }
      return beginningOf(migration, (said) => begins(said, time))
    },
  }
}

const earliestRound = object({ earliest_round: integer })

export const rewardsOfRound: Holders = {
  sentence:
    'have the rewards of that round (`/v0/internal/reward-accounting-process/rounds/earliest-available`)',
  of: ({ round_number: round }) =>
    holding(
      { method: 'GET', path: '/v0/internal/reward-accounting-process/rounds/earliest-available' },
      earliestRound,
      ({ earliest_round: earliest }) => earliest <= Number(round),
    ),
}
