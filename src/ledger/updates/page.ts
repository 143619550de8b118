import { CantonError } from '../../errors/canton.ts'
import type { Bounds } from '../feed/feed.ts'
import type { Element, Elements, PageBounds, UpdatesPage } from '../update-service.ts'
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

/** The first of the elements, as many as go on a page, and what they cover: one more is read, to know where the next page begins. */
export function pageBounds(
  request: UpdatesPageRequest,
  start: Bounds,
  id: string,
  all: Elements,
): UpdatesPage {
  const { maxPageSize: size = defaultPageSize, descendingOrder, endOffsetInclusive } = request
  let bounds: PageBounds | undefined
  const token = (offset: number) => positionBytes({ offset, nodeId: 0 }, id).toString('base64')
  const goesOn = (next: number): PageBounds =>
    descendingOrder
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
    nextPageToken: descendingOrder || endOffsetInclusive !== undefined ? null : token(start.upTo),
  })
  const elements = async function* (): AsyncGenerator<readonly Element[]> {
    let left = size
    for await (const some of all) {
      const taken = some.slice(0, left)
      left -= taken.length
      if (taken.length > 0) yield taken
      const next = some[taken.length]
      if (next === undefined) continue
      bounds = goesOn(next.offset)
      return
    }
    bounds = isDone()
  }
  return {
    elements: elements(),
    bounds() {
      if (bounds === undefined) throw new Error('the page was not read to its end')
      return bounds
    },
  }
}
