import type { Question } from '../question.ts'
import { declaredError } from '../reply.ts'
import type { Recorded } from '../world/history.ts'
import { isoTime } from '../world/instant.ts'
import { fromAnnals, fromBody, indexOf, limited, Say } from './asked.ts'

/** HttpScanHandler.scala of Splice 0.7.5. */
const notComplete = declaredError(
  503,
  'This scan instance has not yet replicated all data. This process can take an extended period of time to complete. Wait until replication is complete, or connect to a different scan instance.',
)

const v2 = ({ body }: Recorded) => body
const v1 = ({ body }: Recorded) => ({ ...body, offset: '1' })

function missing({ argument }: Question): Say {
  return new Say(declaredError(404, `Transaction with id ${argument} not found`))
}

function pageOf<Printed>(name: string, print: (update: Recorded, question: Question) => Printed) {
  return fromBody(({ updates, complete }, body, question) => {
    const size = limited(Number(body['page_size']))
    if (typeof size !== 'number') return new Say(size)
    if (!complete) return new Say(notComplete)
    const after = body['after'] as { readonly after_record_time?: string } | null | undefined
    const from =
      after?.after_record_time === undefined
        ? 0
        : updates.findIndex(({ body: { record_time: time } }) => isLater(time, after.after_record_time))
    const page = from === -1 ? [] : updates.slice(from, from + size)
    return { [name]: page.map((update) => print(update, question)) }
  })
}

/** Of two times as they are printed. */
function isLater(a: unknown, b: unknown): boolean {
  const key = (text: unknown) =>
    String(text)
      .replace('Z', '')
      .padEnd(29, '0')
      .replace(/^(.{19})0/, '$1.')
  return key(a) > key(b)
}

function byId<Printed>(print: (update: Recorded, question: Question) => Printed) {
  return fromAnnals(({ updates }, question) => {
    const found = updates.find(({ body }) => body['update_id'] === question.argument)
    return found === undefined ? missing(question) : print(found, question)
  })
}

const byHash = fromAnnals(({ updates }, { argument }) => {
  const found = updates.find(({ externalHash }) => externalHash === argument)
  const none = `Transaction with hash ${argument} not found`
  return found === undefined ? new Say(declaredError(404, none)) : found.body
})

/** What its mediator said when, and what it counted, are a node's own. */
function eventOf({ at, body, verdict }: Recorded, { member }: Question) {
  const index = indexOf(member)
  return {
    update: body,
    verdict: { ...verdict, finalization_time: isoTime(at + 1_000 * (index + 1)) },
    traffic_summary:
      index % 2 === 0
        ? null
        : {
            total_traffic_cost: 1_000 + index,
            envelope_traffic_summaries: [{ traffic_cost: 10, view_ids: [0] }],
          },
    app_activity_records:
      index % 3 === 0 ? null : { round_number: 28_813, records: [{ party: member.party, weight: 1 }] },
  }
}

const updatesBefore = fromBody(({ updates }, body) => {
  const count = limited(Number(body['count']))
  if (typeof count !== 'number') return new Say(count)
  const earlier = updates.filter(({ body: { record_time: time } }) => isLater(body['before'], time))
  return { transactions: earlier.slice(-count).reverse().map(v1) }
})

const importUpdates = fromBody((_annals, body) => {
  const limit = limited(Number(body['limit']))
  return typeof limit === 'number' ? { transactions: [] } : new Say(limit)
})

const status = fromAnnals(({ complete }) => ({ complete }))

const migrationInfo = fromBody(({ updates, complete, migrationId }, { migration_id: asked }) => {
  const [first, last] = [updates.at(0), updates.at(-1)]
  if (Number(asked) !== migrationId) {
    return new Say(declaredError(404, `No migration info for migration ${asked}`))
  }
  const range = { min: first?.body['record_time'], max: last?.body['record_time'] }
  return {
    previous_migration_id: null,
    record_time_range:
      first === undefined ? [] : [{ synchronizer_id: first.body['synchronizer_id'], ...range }],
    last_import_update_id: null,
    complete,
    import_updates_complete: complete,
  }
})

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
