import { whenKnown } from '../../lib/maybe-promise.ts'
import type { NodeRequest } from '../node-context.ts'
import { declaredError } from '../reply.ts'
import { isoTime, type Micros, microsIn } from '../world/contract.ts'
import type { History, Recorded } from '../world/history.ts'
import { migrationId } from '../world/network.ts'
import type { View } from '../world/view.ts'
import { fromView, fromViewBody, indexOf, limited, ReplyError } from './asked.ts'

/**
 * The error of a node that has not loaded the whole history (HttpScanHandler.scala of Splice
 * 0.7.5).
 */
const notComplete = declaredError(
  503,
  'This scan instance has not yet replicated all data. This process can take an extended period of time to complete. Wait until replication is complete, or connect to a different scan instance.',
)

const v2 = ({ body }: Recorded) => body
const v1 = ({ body }: Recorded) => ({ ...body, offset: '000000000000000001' })

function missing({ lastArgument }: NodeRequest): ReplyError {
  return new ReplyError(declaredError(404, `Transaction with id ${lastArgument} not found`))
}

function pageOf<Printed>(name: string, print: (update: Recorded, question: NodeRequest) => Printed) {
  return fromViewBody((view, body, question) => {
    const history = view.history()
    const size = limited(Number(body['page_size']))
    if (typeof size !== 'number') return new ReplyError(size)
    const after = body['after'] as After | null | undefined
    if (!history.complete) return new ReplyError(notComplete)
    const { pruned } = history
    if (pruned !== undefined && timeOf(after) < pruned.to)
      return new ReplyError(pruned.says === 'unavailable' ? notComplete : notKept(isoTime(pruned.to)))
    return whenKnown(pageAfter(history, after, size), (page) => ({
      [name]: page.map((update) => print(update, question)),
    }))
  })
}

interface After {
  readonly after_migration_id: number
  readonly after_record_time: string
}

function timeOf(after: After | null | undefined): Micros {
  if (after === null || after === undefined || after.after_migration_id < migrationId) return 0
  return after.after_migration_id > migrationId ? Number.POSITIVE_INFINITY : microsIn(after.after_record_time)
}

/**
 * The error for a page that begins with pruned updates. Splice defines no message for it yet, so
 * this text is the localnet's own.
 */
function notKept(from: string) {
  return declaredError(404, `Updates before ${from} are not available on this scan instance any more.`)
}

function pageAfter(history: History, after: After | null | undefined, size: number) {
  if (after === null || after === undefined || after.after_migration_id < migrationId)
    return history.after(undefined, size)
  if (after.after_migration_id > migrationId) return []
  return history.after(microsIn(after.after_record_time), size)
}

function byId<Printed>(print: (update: Recorded, question: NodeRequest) => Printed) {
  return fromView((view, question) =>
    whenKnown(view.history().find(question.lastArgument), (found) =>
      found === undefined ? missing(question) : print(found, question),
    ),
  )
}

const byHash = fromView((view, { lastArgument }) =>
  whenKnown(view.history().findByHash(lastArgument), (found) => {
    const none = `Transaction with hash ${lastArgument} not found`
    return found === undefined ? new ReplyError(declaredError(404, none)) : found.body
  }),
)

/**
 * Formats an update for `/v0/events`. As on a real network, the finalization time, the traffic and
 * the app activity differ from node to node, and the round is null in updates that the node ingested
 * before its release had rounds.
 */
function eventOf({ at, body, verdict }: Recorded, { member, release }: NodeRequest) {
  if (verdict === undefined)
    return { update: body, verdict: null, traffic_summary: null, app_activity_records: null }
  const [index, round] = [indexOf(member), 28_813]
  return {
    update: body,
    verdict: {
      ...verdict,
      finalization_time: isoTime(at + 1_000 * (index + 1)),
      ...(release.hasRoundNumbers && { round_number: at < release.since ? null : round }),
    },
    traffic_summary:
      index % 2 === 0
        ? null
        : {
            total_traffic_cost: 1_000 + index,
            envelope_traffic_summaries: [{ traffic_cost: 10, view_ids: [0] }],
          },
    app_activity_records:
      index % 3 === 0 ? null : { round_number: round, records: [{ party: member.party, weight: 1 }] },
  }
}

const latestRecordTime = fromView((view) =>
  whenKnown(view.history().before(undefined, 1), ([latest]) =>
    latest === undefined
      ? new ReplyError(declaredError(404, 'No events found'))
      : { record_time: isoTime(latest.at) },
  ),
)

const updatesBefore = fromViewBody((view, body) => {
  const count = limited(Number(body['count']))
  if (typeof count !== 'number') return new ReplyError(count)
  const from = body['at_or_after'] == null ? 0 : microsIn(body['at_or_after'])
  const [synchronizer] = view.scans().scans
  const isHere = body['migration_id'] === migrationId && body['synchronizer_id'] === synchronizer?.domainId
  if (!isHere) return { transactions: [] }
  return whenKnown(view.history().before(microsIn(body['before']), count), (found) => ({
    transactions: found.filter(({ at }) => at >= from).map(v1),
  }))
})

const importUpdates = fromViewBody((_view, body) => {
  const limit = limited(Number(body['limit']))
  return typeof limit === 'number' ? { transactions: [] } : new ReplyError(limit)
})

const status = fromView((view) => ({ complete: view.history().complete }))

const migrationInfo = fromViewBody((view, { migration_id: asked }) => {
  const history = view.history()
  if (asked !== migrationId)
    return new ReplyError(declaredError(404, `No migration info for migration ${asked}`))
  return whenKnown(history.after(undefined, 1), ([first]) =>
    whenKnown(history.before(undefined, 1), ([last]) => ({
      previous_migration_id: null,
      record_time_range: first === undefined || last === undefined ? [] : [rangeOf(view, first, last)],
      last_import_update_id: null,
      complete: history.complete,
      import_updates_complete: history.complete,
    })),
  )
})

/**
 * Returns the range of record times in which the node claims to have all updates. The range begins
 * no later than the first snapshot, because a real scan makes snapshots from its updates. A localnet
 * may lack the updates before that snapshot.
 */
function rangeOf(view: View, { at, body: first }: Recorded, { body: last }: Recorded) {
  return {
    synchronizer_id: first['synchronizer_id'],
    min: isoTime(Math.min(at, view.snapshots().after(0) ?? at)),
    max: last['record_time'],
  }
}

export const updateReads = [
  { id: 'backfilling-status', method: 'GET', path: '/api/scan/v0/backfilling/status', answer: status },
  {
    id: 'migration-info',
    method: 'POST',
    path: '/api/scan/v0/backfilling/migration-info',
    answer: migrationInfo,
  },
  { id: 'updates', method: 'POST', path: '/api/scan/v2/updates', answer: pageOf('transactions', v2) },
  { id: 'update', method: 'GET', path: '/api/scan/v2/updates/{}', answer: byId(v2) },
  { id: 'update-by-hash', method: 'GET', path: '/api/scan/v2/updates/hash/{}', answer: byHash },
  { id: 'updates-v1', method: 'POST', path: '/api/scan/v1/updates', answer: pageOf('transactions', v1) },
  { id: 'update-v1', method: 'GET', path: '/api/scan/v1/updates/{}', answer: byId(v1) },
  { id: 'events', method: 'POST', path: '/api/scan/v0/events', answer: pageOf('events', eventOf) },
  {
    id: 'latest-record-time',
    method: 'GET',
    path: '/api/scan/v0/events/latest-record-time',
    answer: latestRecordTime,
  },
  { id: 'event', method: 'GET', path: '/api/scan/v0/events/{}', answer: byId(eventOf) },
  {
    id: 'updates-before',
    method: 'POST',
    path: '/api/scan/v0/backfilling/updates-before',
    answer: updatesBefore,
  },
  {
    id: 'import-updates',
    method: 'POST',
    path: '/api/scan/v0/backfilling/import-updates',
    answer: importUpdates,
  },
] as const
