import { whenKnown } from '../../lib/maybe-promise.ts'
import { declaredError } from '../reply.ts'
import type { Snapshots, Totals } from '../world/history.ts'
import { isoTime, type Micros, microsIn } from '../world/instant.ts'
import { fromBody, fromView, fromViewBody, indexOf, inLocalOrder, limited, partyOf, Say } from './asked.ts'

const before = fromView((view, { query }) => {
  const found = view.snapshots().upTo(microsIn(query.get('before')))
  const none = `No snapshots found before ${query.get('before')}`
  return found === undefined ? new Say(declaredError(404, none)) : { record_time: isoTime(found) }
})

const after = fromView((view, { query }) => {
  const found = view.snapshots().after(microsIn(query.get('after')))
  const none = `No snapshots found after ${query.get('after')}`
  return found === undefined ? new Say(declaredError(404, none)) : { record_time: isoTime(found) }
})

type Body = Readonly<Record<string, unknown>>

/** The time of the one that is meant. Throws a `Say` where there is none. */
function timeIn(snapshots: Snapshots, body: Body): Micros {
  const wanted = microsIn(body['record_time'])
  if (body['record_time_match'] !== 'at_or_before') return wanted
  const found = snapshots.upTo(wanted)
  if (found === undefined)
    throw new Say(declaredError(404, `No snapshots found before ${body['record_time']}`))
  return found
}

function partiesIn(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? list.map(partyOf) : undefined
}

function textsIn(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) ? list.map(String) : undefined
}

const contracts = fromViewBody((view, body, question) => {
  const size = limited(Number(body['page_size']))
  if (typeof size !== 'number') return new Say(size)
  const snapshots = view.snapshots()
  const at = timeIn(snapshots, body)
  const filter = {
    parties: partiesIn(body['party_ids']),
    templates: textsIn(body['templates']),
    owners: partiesIn(body['owner_party_ids']),
  }
  return whenKnown(snapshots.active(at, filter, size + 1), (found) => ({
    record_time: isoTime(at),
    migration_id: Number(body['migration_id']),
    created_events: inLocalOrder(found.slice(0, size), question),
    next_page_token: found.length > size ? 1_000 * (indexOf(question.member) + 1) + size : null,
  }))
})

function summaries<Summary>(
  summaryOf: (party: string, totals: Totals) => Summary,
  more: (body: Body) => object = () => ({}),
) {
  return fromViewBody((view, body, question) => {
    const snapshots = view.snapshots()
    const at = timeIn(snapshots, body)
    const owners = partiesIn(body['owner_party_ids']) ?? []
    return Promise.all(owners.map(async (owner) => summaryOf(owner, await snapshots.totals(at, owner)))).then(
      (made) => ({
        record_time: isoTime(at),
        migration_id: Number(body['migration_id']),
        ...more(body),
        summaries: inLocalOrder(made, question),
      }),
    )
  })
}

const coinsOf = (party: string, { unlocked, locked, all }: Totals) => ({
  party_id: party,
  total_unlocked_coin: unlocked,
  total_locked_coin: locked,
  total_coin_holdings: all,
})

const summaryV1 = summaries(coinsOf)

/** No ledger here charges holding fees. */
const summaryV0 = summaries(
  (party, totals) => ({
    ...coinsOf(party, totals),
    accumulated_holding_fees_unlocked: '0.0',
    accumulated_holding_fees_locked: '0.0',
    accumulated_holding_fees_total: '0.0',
    total_available_coin: totals.unlocked,
  }),
  (body) => ({ computed_as_of_round: Number(body['as_of_round'] ?? 28_811) }),
)

const checksums = fromBody(({ snapshots }, { object_keys: keys }) => ({
  checksums: (Array.isArray(keys) ? keys : []).map((key) => ({
    value: /^updates-\d+$/.test(String(key)) ? String(snapshots[0]?.at).repeat(4) : null,
  })),
}))

export const snapshotReads = [
  {
    id: 'snapshot-before',
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp',
    answer: before,
  },
  {
    id: 'snapshot-after',
    method: 'GET',
    path: '/api/scan/v0/state/acs/snapshot-timestamp-after',
    answer: after,
  },
  { id: 'checksums', method: 'POST', path: '/api/scan/v0/history/bulk/checksums', answer: checksums },
  { id: 'acs', method: 'POST', path: '/api/scan/v1/state/acs', answer: contracts },
  { id: 'holdings', method: 'POST', path: '/api/scan/v1/holdings/state', answer: contracts },
  { id: 'holdings-summary', method: 'POST', path: '/api/scan/v0/holdings/summary', answer: summaryV0 },
  { id: 'holdings-summary-v1', method: 'POST', path: '/api/scan/v1/holdings/summary', answer: summaryV1 },
] as const
