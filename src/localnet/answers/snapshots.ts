import { sha256Hex } from '../../base/lib/digest.ts'
import { timeOf } from '../../registry/ledger/daml/time.ts'
import { declaredError, textReply, thrownError } from '../reply.ts'
import type { Annals } from '../world/annals.ts'
import { type Micros, microsIn } from '../world/contract.ts'
import { numberOf } from '../world/mining-rounds.ts'
import { type Member, migrationId } from '../world/network.ts'
import {
  type ActiveFilter,
  type ServedContract,
  type Snapshots,
  type Totals,
  totalsOf,
} from '../world/snapshots.ts'
import { fromView, get, indexOf, limited, malformed, partyOf, post, refuse, rotatedByNode } from './asked.ts'
import { honestPage, opaqueToken, pageOf, rowIn } from './snapshot-pages.ts'

/** Formats a time as Java's `OffsetDateTime` does, which omits seconds that are zero. */
function offsetTime(time: Micros): string {
  return timeOf(time).replace(/:00Z$/, 'Z')
}

function timeInQuery(query: URLSearchParams, name: string): Micros {
  const time = microsIn(query.get(name))
  if (!Number.isNaN(time)) return time
  const problem = `Text '${query.get(name)}' could not be parsed at index 0`
  refuse(textReply(400, `The query parameter '${name}' was malformed:\n${problem}`))
}

const before = fromView((view, { query }) => {
  const time = timeInQuery(query, 'before')
  const found = Number(query.get('migration_id')) === migrationId ? view.snapshots().upTo(time) : undefined
  const none = `No snapshots found before ${offsetTime(time)}`
  return found === undefined ? refuse(declaredError(404, none)) : { record_time: timeOf(found) }
})

/**
 * Answers with the time of the first snapshot after the requested time. A request for an earlier
 * migration gets the first snapshot of all. A request for a later migration gets a 404.
 */
const after = fromView((view, { query }) => {
  const time = timeInQuery(query, 'after')
  const asked = Number(query.get('migration_id'))
  const from = asked < migrationId ? 0 : time
  const found = asked > migrationId ? undefined : view.snapshots().after(from)
  const none = `No snapshots found after ${offsetTime(time)}`
  return found === undefined ? refuse(declaredError(404, none)) : { record_time: timeOf(found) }
})

type SnapshotBody = Readonly<Record<string, unknown>>

/** Returns the time of the snapshot that the body asks for. Refuses if there is none. */
function timeIn(snapshots: Snapshots, body: SnapshotBody): Micros {
  const wanted = microsIn(body['record_time'])
  if (Number.isNaN(wanted))
    refuse(malformed(`Text '${body['record_time']}' could not be parsed: DownField(record_time)`))
  const found = body['migration_id'] === migrationId ? snapshots.upTo(wanted) : undefined
  const isLoose = body['record_time_match'] === 'at_or_before'
  if (found !== undefined && (isLoose || found === wanted)) return found
  if (isLoose) refuse(declaredError(404, `No snapshots found before ${offsetTime(wanted)}`))
  const none = `Failed to find ACS snapshot for migration id ${body['migration_id']} at ${timeOf(wanted)}`
  refuse(thrownError(404, none))
}

/**
 * Returns the texts of a list in a filter. Undefined if the list is missing or empty, because such a
 * filter permits everything.
 */
function textsIn(list: unknown): readonly string[] | undefined {
  return Array.isArray(list) && list.length > 0 ? list.map(String) : undefined
}

function ownersIn({ owner_party_ids: list }: SnapshotBody): readonly string[] {
  return textsIn(list)?.map(partyOf) ?? []
}

/** How a version of the API writes pages. `row` refuses a token that is not of this form. */
interface PageForm {
  event(contract: ServedContract, member: Member): object
  token(row: number, at: Micros, member: Member): number | string
  row(token: unknown, at: Micros, member: Member): number
}

const v1: PageForm = {
  event: (contract) => contract,
  token: (row) => row,
  row: (token) => (Number.isSafeInteger(token) ? Number(token) : refuse(malformed('Long: DownField(after)'))),
}

const v0: PageForm = { ...v1, event: createdEvent }

const v2: PageForm = {
  event: (contract) => contract,
  token: opaqueToken,
  row: (token, at, member) => rowIn(String(token), at, member),
}

/** Each scan numbers the events of an update itself. */
function createdEvent({ created_in_update_id: updateId, ...contract }: ServedContract, member: Member) {
  const number = indexOf(member) + 1
  return {
    event_type: 'created_event',
    event_id: `${updateId ?? `imported-${contract.contract_id}`}:${number}`,
    ...contract,
  }
}

function page(form: PageForm, filterIn: (body: SnapshotBody) => ActiveFilter) {
  return fromView(async (view, question) => {
    const { member, json: body } = question
    const snapshots = view.snapshots()
    const at = timeIn(snapshots, body)
    const after = body['after'] == null ? undefined : form.row(body['after'], at, member)
    const asked = { at, after, size: limited(body['page_size']) }
    const found = await pageOf(snapshots, asked, honestPage(snapshots, filterIn(body), member))
    return {
      record_time: timeOf(found.at),
      migration_id: migrationId,
      created_events: rotatedByNode(found.contracts, question).map((contract) =>
        form.event(contract, member),
      ),
      next_page_token: found.next === null ? null : form.token(found.next, at, member),
    }
  })
}

const contracts = (body: SnapshotBody): ActiveFilter => ({
  parties: textsIn(body['party_ids'])?.map(partyOf),
  templates: textsIn(body['templates']),
})

const holdings = (body: SnapshotBody): ActiveFilter => ({ owners: ownersIn(body) })

function summaries<Summary>(
  summaryOf: (party: string, totals: Totals) => Summary,
  more: (annals: Annals, body: SnapshotBody) => object = () => ({}),
) {
  return fromView(async (view, question) => {
    const { json: body } = question
    const snapshots = view.snapshots()
    const at = timeIn(snapshots, body)
    const active = await snapshots.contracts(at)
    const made = [...new Set(ownersIn(body))].flatMap((owner) => {
      const totals = totalsOf(active, owner)
      return totals === undefined ? [] : [summaryOf(owner, totals)]
    })
    return {
      record_time: timeOf(at),
      migration_id: migrationId,
      ...more(await view.annals(), body),
      summaries: rotatedByNode(made, question),
    }
  })
}

const coinsOf = (party: string, { unlocked, locked, all }: Totals) => ({
  party_id: party,
  total_unlocked_coin: unlocked,
  total_locked_coin: locked,
  total_coin_holdings: all,
})

const summaryV1 = summaries(coinsOf)

const summaryV0 = summaries(
  (party, totals) => ({
    ...coinsOf(party, totals),
    accumulated_holding_fees_unlocked: '0.0000000000',
    accumulated_holding_fees_locked: '0.0000000000',
    accumulated_holding_fees_total: '0.0000000000',
    total_available_coin: totals.unlocked,
  }),
  ({ openRounds: [oldest] }, body) => ({
    computed_as_of_round: Number(body['as_of_round'] ?? (oldest === undefined ? 0 : numberOf(oldest))),
  }),
)

const checksums = fromView((_view, { json: { object_keys: keys } }) => ({
  checksums: (Array.isArray(keys) ? keys : []).map((key) => ({
    value: /^updates-\d+$/.test(String(key)) ? sha256Hex(String(key)) : null,
  })),
}))

const progress = fromView((view, { query }) => {
  const time = timeInQuery(query, 'record_time')
  const written = view.snapshots().upTo(Number.POSITIVE_INFINITY) ?? 0
  return { beyond_requested_record_time: written > time }
})

export const snapshotReads = [
  get('snapshot-before', '/api/scan/v0/state/acs/snapshot-timestamp', before),
  get('snapshot-after', '/api/scan/v0/state/acs/snapshot-timestamp-after', after),
  post('checksums', '/api/scan/v0/history/bulk/checksums', checksums),
  get('bulk-progress', '/api/scan/v0/history/bulk/progress', progress),
  post('acs', '/api/scan/v0/state/acs', page(v0, contracts)),
  post('acs', '/api/scan/v1/state/acs', page(v1, contracts)),
  post('acs', '/api/scan/v2/state/acs', page(v2, contracts)),
  post('holdings', '/api/scan/v0/holdings/state', page(v0, holdings)),
  post('holdings', '/api/scan/v1/holdings/state', page(v1, holdings)),
  post('holdings', '/api/scan/v2/holdings/state', page(v2, holdings)),
  post('holdings-summary', '/api/scan/v0/holdings/summary', summaryV0),
  post('holdings-summary-v1', '/api/scan/v1/holdings/summary', summaryV1),
] as const
