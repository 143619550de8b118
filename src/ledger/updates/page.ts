import { CantonError } from '../../errors/canton.ts'
import { type Bounds, type CheckRead, settled, taken } from '../feed/feed.ts'
import type { PrintedStretch, StretchRequest } from '../ledger.ts'
import type { PageBounds, UpdatesPage } from '../update-service.ts'
import type { UpdatesPageRequest } from '../wire/requests.ts'
import { positionBytes, readPosition } from './position.ts'

const defaultPageSize = 100

/** Where the page before ended; undefined for the first. @param id of the request without its token. @throws CantonError */
export function pageToken({ pageToken }: UpdatesPageRequest, id: string): number | undefined {
  if (pageToken.length === 0) return undefined
  const position = readPosition(pageToken, id)
  if (position === 'undecodable')
    throw new CantonError('undecodablePageToken', {}, { context: { field_name: 'page_token' } })
  if (position === 'foreign') throw new CantonError('invalidPageToken')
  return position.offset
}

/** The updates that a page is of. @param from where the page before ended. */
export function pageStart(
  request: UpdatesPageRequest,
  from: number | undefined,
  ledgerEnd: number,
  prunedUpTo: number,
): Bounds {
  const begin = request.beginOffsetExclusive ?? prunedUpTo
  const end = request.endOffsetInclusive ?? ledgerEnd
  return request.descendingOrder ? { after: begin, upTo: from ?? end } : { after: from ?? begin, upTo: end }
}

/** Reads a page, and one update more, to know where the next page begins. The next updates are read while some are used. */
export function readPage(
  request: UpdatesPageRequest,
  start: Bounds,
  id: string,
  { read, check }: PageDeps,
): UpdatesPage {
  const { maxPageSize: size = defaultPageSize, descendingOrder: descending, endOffsetInclusive } = request
  let bounds: PageBounds | undefined
  const token = (offset: number) => positionBytes({ offset, nodeId: 0 }, id).toString('base64')
  const goesOn = (next: number): PageBounds =>
    descending
      ? {
          lowestPageOffsetExclusive: next,
          highestPageOffsetInclusive: start.upTo,
          nextPageToken: token(next),
        }
      : {
          lowestPageOffsetExclusive: start.after,
          highestPageOffsetInclusive: next - 1,
          nextPageToken: token(next - 1),
        }
  const isDone = (): PageBounds => ({
    lowestPageOffsetExclusive: start.after,
    highestPageOffsetInclusive: Math.max(start.after, start.upTo),
    nextPageToken: descending || endOffsetInclusive !== undefined ? null : token(start.upTo),
  })
  const updates = async function* (): AsyncGenerator<Uint8Array> {
    let { after, upTo } = start
    let left = size
    const ask = () => settled(after < upTo ? read({ after, upTo, descending, most: left }) : undefined)
    for (let asked = ask(); after < upTo; ) {
      const stretch = await taken(asked)
      if (stretch === undefined) break
      await check(stretch.after)
      left -= stretch.count
      if (descending) upTo = stretch.after
      else after = stretch.upTo
      if (stretch.next === undefined) asked = ask()
      if (stretch.count > 0) yield stretch.json
      if (stretch.next === undefined) continue
      bounds = goesOn(stretch.next)
      return
    }
    bounds = isDone()
  }
  return {
    updates: updates(),
    bounds() {
      if (bounds === undefined) throw new Error('the page was not read to its end')
      return bounds
    },
  }
}

export interface PageDeps {
  readonly read: (range: Omit<StretchRequest, 'format' | 'rights'>) => Promise<PrintedStretch>
  readonly check: CheckRead
}
