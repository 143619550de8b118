import { timeOf } from '../../registry/ledger/daml/time.ts'
import type { NodeRequest } from '../node-context.ts'
import { declaredError } from '../reply.ts'
import { type Micros, microsIn } from '../world/contract.ts'
import type { RecordedTransaction } from '../world/history.ts'
import { migrationId } from '../world/network.ts'
import type { View } from '../world/view.ts'
import { fromView, get, indexOf, limited, post, refuse } from './asked.ts'

/**
 * The error of a node that has not loaded the whole history (HttpScanHandler.scala of Splice
 * 0.7.5).
 */
const notComplete = declaredError(
  503,
  'This scan instance has not yet replicated all data. This process can take an extended period of time to complete. Wait until replication is complete, or connect to a different scan instance.',
)

const v2 = ({ body }: RecordedTransaction) => body
const v1 = ({ body }: RecordedTransaction) => ({ ...body, offset: '000000000000000001' })

function pageOf<Printed>(
  name: string,
  print: (update: RecordedTransaction, question: NodeRequest) => Printed,
) {
  return fromView(async (view, question) => {
    const { json: body } = question
    const history = view.history()
    const size = limited(body['page_size'])
    const after = body['after'] as After | null | undefined
    if (!history.complete) refuse(notComplete)
    const { pruned } = history
    if (pruned !== undefined && microsOf(after) < pruned.to)
      refuse(pruned.says === 'unavailable' ? notComplete : notKept(timeOf(pruned.to)))
    const page = await history.after(microsOf(after), size)
    return { [name]: page.map((update) => print(update, question)) }
  })
}

interface After {
  readonly after_migration_id: number
  readonly after_record_time: string
}

function microsOf(after: After | null | undefined): Micros {
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

function byId<Printed>(print: (update: RecordedTransaction, question: NodeRequest) => Printed) {
  return fromView(async (view, question) => {
    const found = await view.history().find(question.lastArgument)
    const none = `Transaction with id ${question.lastArgument} not found`
    return print(found ?? refuse(declaredError(404, none)), question)
  })
}

const byHash = fromView(async (view, { lastArgument: hash }) => {
  const found = await view.history().findByHash(hash)
  return (found ?? refuse(declaredError(404, `Transaction with hash ${hash} not found`))).body
})

/**
 * Formats an update for `/v0/events`. As on a real network, the finalization time, the traffic and
 * the app activity differ from node to node, and the round is null in updates that the node ingested
 * before its release had rounds.
 */
function eventOf({ at, body, verdict }: RecordedTransaction, { member, release }: NodeRequest) {
  if (verdict === undefined)
    return { update: body, verdict: null, traffic_summary: null, app_activity_records: null }
  const [index, round] = [indexOf(member), 28_813]
  return {
    update: body,
    verdict: {
      ...verdict,
      finalization_time: timeOf(at + 1_000 * (index + 1)),
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

const latestRecordTime = fromView(async (view) => {
  const [latest] = await view.history().before(undefined, 1)
  const { at } = latest ?? refuse(declaredError(404, 'No events found'))
  return { record_time: timeOf(at) }
})

const updatesBefore = fromView(async (view, { json: body }) => {
  const count = limited(body['count'])
  const from = body['at_or_after'] == null ? 0 : microsIn(body['at_or_after'])
  const [synchronizer] = view.scans().scans
  const isHere = body['migration_id'] === migrationId && body['synchronizer_id'] === synchronizer?.domainId
  if (!isHere) return { transactions: [] }
  const found = await view.history().before(microsIn(body['before']), count)
  return { transactions: found.filter(({ at }) => at >= from).map(v1) }
})

const importUpdates = fromView((_view, { json }) => {
  limited(json['limit'])
  return { transactions: [] }
})

const status = fromView((view) => ({ complete: view.history().complete }))

const migrationInfo = fromView(async (view, { json: { migration_id: asked } }) => {
  const history = view.history()
  if (asked !== migrationId) refuse(declaredError(404, `No migration info for migration ${asked}`))
  const [[first], [last]] = [await history.after(0, 1), await history.before(undefined, 1)]
  return {
    previous_migration_id: null,
    record_time_range: first === undefined || last === undefined ? [] : [rangeOf(view, first, last)],
    last_import_update_id: null,
    complete: history.complete,
    import_updates_complete: history.complete,
  }
})

/**
 * Returns the range of record times in which the node claims to have all updates. The range begins
 * no later than the first snapshot, because a real scan makes snapshots from its updates. A localnet
 * may lack the updates before that snapshot.
 */
function rangeOf(view: View, { at, body: first }: RecordedTransaction, { body: last }: RecordedTransaction) {
  return {
    synchronizer_id: first['synchronizer_id'],
    min: timeOf(Math.min(at, view.snapshots().after(0) ?? at)),
    max: last['record_time'],
  }
}

export const updateReads = [
  get('backfilling-status', '/api/scan/v0/backfilling/status', status),
  post('migration-info', '/api/scan/v0/backfilling/migration-info', migrationInfo),
  post('updates', '/api/scan/v2/updates', pageOf('transactions', v2)),
  get('update', '/api/scan/v2/updates/{}', byId(v2)),
  get('update-by-hash', '/api/scan/v2/updates/hash/{}', byHash),
  post('updates-v1', '/api/scan/v1/updates', pageOf('transactions', v1)),
  get('update-v1', '/api/scan/v1/updates/{}', byId(v1)),
  post('events', '/api/scan/v0/events', pageOf('events', eventOf)),
  get('latest-record-time', '/api/scan/v0/events/latest-record-time', latestRecordTime),
  get('event', '/api/scan/v0/events/{}', byId(eventOf)),
  post('updates-before', '/api/scan/v0/backfilling/updates-before', updatesBefore),
  post('import-updates', '/api/scan/v0/backfilling/import-updates', importUpdates),
] as const
