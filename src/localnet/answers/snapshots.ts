import { declaredError } from '../reply.ts'
import type { Annals } from '../world/annals.ts'
import type { Coin, Snapshot } from '../world/history.ts'
import { isoTime, microsIn } from '../world/instant.ts'
import { fromAnnals, fromBody, indexOf, inLocalOrder, limited, partyOf, Say } from './asked.ts'

const before = fromAnnals(({ snapshots }, { query }) => {
  const found = snapshots.findLast(({ at }) => at <= microsIn(query.get('before')))
  const none = `No snapshots found before ${query.get('before')}`
  return found === undefined ? new Say(declaredError(404, none)) : { record_time: isoTime(found.at) }
})

const after = fromAnnals(({ snapshots }, { query }) => {
  const found = snapshots.find(({ at }) => at > microsIn(query.get('after')))
  const none = `No snapshots found after ${query.get('after')}`
  return found === undefined ? new Say(declaredError(404, none)) : { record_time: isoTime(found.at) }
})

type Body = Readonly<Record<string, unknown>>

/** Throws a `Say` where there is none. */
function snapshotIn({ snapshots }: Annals, body: Body): Snapshot {
  const wanted = microsIn(body['record_time'])
  if (body['record_time_match'] !== 'at_or_before') {
    return snapshots.find(({ at }) => at === wanted) ?? { at: wanted, coins: [] }
  }
  const found = snapshots.findLast(({ at }) => at <= wanted)
  if (found === undefined)
    throw new Say(declaredError(404, `No snapshots found before ${body['record_time']}`))
  return found
}

function ownersIn(body: Body): readonly string[] | undefined {
  const owners = body['owner_party_ids'] ?? body['party_ids']
  return Array.isArray(owners) ? owners.map(partyOf) : undefined
}

const coins = fromBody((annals, body, question) => {
  const size = limited(Number(body['page_size']))
  if (typeof size !== 'number') return new Say(size)
  const { at, coins: all } = snapshotIn(annals, body)
  const owners = ownersIn(body)
  const found = owners === undefined ? all : all.filter(({ owner }) => owners.includes(owner))
  return {
    record_time: isoTime(at),
    migration_id: Number(body['migration_id']),
    created_events: inLocalOrder(
      found.slice(0, size).map(({ event }) => event),
      question,
    ),
    next_page_token: found.length > size ? 1_000 * (indexOf(question.member) + 1) + size : null,
  }
})

function sum(coins: readonly Coin[]): string {
  return `${coins.reduce((total, { amount }) => total + amount, 0)}.0`
}

function summaryOf(all: readonly Coin[], party: string) {
  const own = all.filter(({ owner }) => owner === party)
  return {
    party_id: party,
    total_unlocked_coin: sum(own.filter(({ locked }) => !locked)),
    total_locked_coin: sum(own.filter(({ locked }) => locked)),
    total_coin_holdings: sum(own),
  }
}

const summaryV1 = fromBody((annals, body, question) => {
  const { at, coins: all } = snapshotIn(annals, body)
  return {
    record_time: isoTime(at),
    migration_id: Number(body['migration_id']),
    summaries: inLocalOrder(
      (ownersIn(body) ?? []).map((party) => summaryOf(all, party)),
      question,
    ),
  }
})

const summary = fromBody((annals, body, question) => {
  const { at, coins: all } = snapshotIn(annals, body)
  const summaries = (ownersIn(body) ?? []).map((party) => {
    const known = summaryOf(all, party)
    return {
      ...known,
      accumulated_holding_fees_unlocked: '0.0',
      accumulated_holding_fees_locked: '0.0',
      accumulated_holding_fees_total: '0.0',
      total_available_coin: known.total_unlocked_coin,
    }
  })
  return {
    record_time: isoTime(at),
    migration_id: Number(body['migration_id']),
    computed_as_of_round: Number(body['as_of_round'] ?? 28_811),
    summaries: inLocalOrder(summaries, question),
  }
})

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
  { id: 'acs', method: 'POST', path: '/api/scan/v1/state/acs', answer: coins },
  { id: 'holdings', method: 'POST', path: '/api/scan/v1/holdings/state', answer: coins },
  { id: 'holdings-summary', method: 'POST', path: '/api/scan/v0/holdings/summary', answer: summary },
  { id: 'holdings-summary-v1', method: 'POST', path: '/api/scan/v1/holdings/summary', answer: summaryV1 },
] as const
