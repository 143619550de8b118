import type { Account } from './accounts.ts'
import { checkPage, ensureNotPruned } from './checks.ts'
import { refused } from './errors.ts'
import { pageRequest } from './formats.ts'
import type { Json, Reply } from './json.ts'
import { type FakeLedger, participantId } from './ledger.ts'
import { placeIn, tokenOf } from './tokens.ts'

export function updatesPage(ledger: FakeLedger, body: Json, account: Account | undefined): Reply {
  const request = pageRequest(body)
  const { version, checked } = ledger
  const format = checkPage(checked, request, account)
  const { begin, end, size = 100, isDescending, token } = request
  const bound = [participantId, begin, end, size, format, isDescending]
  const place = token === '' ? undefined : placeIn(token, bound)
  if (token !== '' && place === undefined)
    throw refused(version, 'INVALID_FIELD', { context: { field_name: 'page_token' } })
  if (place === null) throw refused(version, 'INVALID_UPDATES_PAGE_TOKEN')
  const after = isDescending ? (begin ?? ledger.pruned) : (place ?? begin ?? ledger.pruned)
  const upTo = isDescending ? (place ?? end ?? ledger.end) : (end ?? ledger.end)
  // If neither `begin` nor the token determines `after`, it is the pruned offset, which needs no check.
  if (begin !== undefined || (place !== undefined && !isDescending)) ensureNotPruned(checked, after)
  const all = ledger.delivered(format, after, upTo)
  if (isDescending) all.reverse()
  const next = all[size]?.offset
  const updates = all.slice(0, size).map(({ json }) => json)
  const answer = (lowest: number, highest: number, following: number | undefined): Reply => [
    200,
    {
      updates,
      lowestPageOffsetExclusive: lowest,
      highestPageOffsetInclusive: highest,
      nextPageToken: following === undefined ? null : tokenOf(following, bound),
    },
  ]
  // `upTo` is below `after` if the requested end is below the pruned offset, or the begin is above the ledger's end. The
  // page is then empty and ends where it begins, and the next page begins there too.
  const last = Math.max(after, upTo)
  if (isDescending) return answer(next ?? after, last, next)
  if (next !== undefined) return answer(after, next - 1, next - 1)
  return answer(after, last, end === undefined ? last : undefined)
}
