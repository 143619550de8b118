import { hash } from 'node:crypto'
import { CantonError } from '../../../base/errors/canton.ts'
import { tryJsonText } from '../../../base/lib/parse-json-text.ts'
import type { EventPosition } from '../update.ts'
import type { Bounds } from './feed.ts'
import type { Element } from './print.ts'
import type { ContractsPageRequest, UpdatesPageRequest } from './requests.ts'

/**
 * The token of a page encodes the position at which the next page continues, as integers. It is
 * valid only for the request that it was made for.
 */
export class PositionTokens {
  readonly #request: string

  /** @param request what identifies the ledger and the request, without the token. */
  constructor(request: unknown) {
    const text = JSON.stringify(request, (_key, inner: unknown) =>
      inner instanceof Map ? [...inner].sort(([one], [other]) => (one < other ? -1 : 1)) : inner,
    )
    this.#request = hash('sha256', text, 'base64url').slice(0, 16)
  }

  make(...position: readonly number[]): string {
    return Buffer.from(JSON.stringify([this.#request, ...position])).toString('base64')
  }

  /**
   * Returns `undecodable` for bytes that are no token, and `foreign` for a token of another request
   * or of another ledger. A caller may have forged the position.
   */
  read(token: Buffer): readonly number[] | 'undecodable' | 'foreign' {
    const content = tryJsonText(token.toString())
    if (!Array.isArray(content)) return 'undecodable'
    const [request, ...position] = content
    const isSound = position.every((each) => Number.isSafeInteger(each) && each >= 0)
    return request === this.#request && isSound ? position : 'foreign'
  }
}

/**
 * Yields the JSON of a page in parts: an object with the list `field`, which has at most `size`
 * elements.
 * @param rest makes the other fields. `last` is the last element of the page, and `next` is the
 * first one after it; each is undefined if there is none.
 */
export async function* pageParts<E extends Element>(
  field: string,
  size: number,
  elements: AsyncIterable<readonly E[]>,
  rest: (last: E | undefined, next: E | undefined) => object,
): AsyncGenerator<string> {
  let before = `{"${field}":[`
  let left = size
  let last: E | undefined
  let next: E | undefined
  for await (const some of elements) {
    const taken = some.slice(0, left)
    left -= taken.length
    last = taken.at(-1) ?? last
    next = some[taken.length]
    if (taken.length > 0) {
      yield `${before}${taken.map(({ text }) => text).join(',')}`
      before = ','
    }
    if (next !== undefined) break
  }
  yield `${before === ',' ? '' : before}],${JSON.stringify(rest(last, next)).slice(1)}`
}

/**
 * Returns the part of the requested range after the previous pages.
 * @throws CantonError
 */
export function pageStart(request: UpdatesPageRequest, tokens: PositionTokens, ledgerEnd: number): Bounds {
  const { beginOffsetExclusive: after = 0, endOffsetInclusive: end = ledgerEnd, pageToken } = request
  if (pageToken === undefined) return { after, upTo: end }
  const position = tokens.read(pageToken)
  if (position === 'undecodable')
    throw new CantonError('undecodablePageToken', {}, { context: { field_name: 'page_token' } })
  const [from] = position === 'foreign' ? [] : position
  if (from === undefined || from < after || from > Math.max(after, end))
    throw new CantonError('invalidPageToken')
  return request.descendingOrder ? { after, upTo: from } : { after: from, upTo: end }
}

/**
 * Returns the offsets between which a page lies, and the token of the next page. An ascending
 * request without an end has no last page, because updates may still come.
 * @param next the first update after the page.
 */
export function pageBounds(
  { descendingOrder, endOffsetInclusive }: UpdatesPageRequest,
  start: Bounds,
  tokens: PositionTokens,
  next: Element | undefined,
) {
  const isLast = next === undefined
  const end = Math.max(start.after, start.upTo)
  const [lowest, highest] = isLast
    ? [start.after, end]
    : descendingOrder
      ? [next.offset, start.upTo]
      : [start.after, next.offset - 1]
  const hasNext = !isLast || (!descendingOrder && endOffsetInclusive === undefined)
  return {
    lowestPageOffsetExclusive: lowest,
    highestPageOffsetInclusive: highest,
    nextPageToken: hasNext ? tokens.make(descendingOrder ? lowest : highest) : null,
  }
}

/**
 * The page token contains the offset at which the contracts are active. The offset applies if the
 * request for the next page has no `activeAtOffset`.
 * @throws CantonError
 */
export function contractsStart(
  { activeAtOffset, pageToken }: ContractsPageRequest,
  tokens: PositionTokens,
  ledgerEnd: number,
): { readonly at: number; readonly after: EventPosition | undefined } {
  if (pageToken === undefined) return { at: activeAtOffset ?? ledgerEnd, after: undefined }
  const position = tokens.read(pageToken)
  const [at, offset, nodeId] = typeof position === 'string' ? [] : position
  if (at === undefined || offset === undefined || nodeId === undefined || (activeAtOffset ?? at) !== at)
    throw new CantonError('invalidContractsPageToken')
  return { at, after: { offset, nodeId } }
}
