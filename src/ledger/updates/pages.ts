import { CantonError } from '../../errors/canton.ts'
import { type Bounds, type CheckRead, settled, taken } from '../feed/feed.ts'
import type { PrintedUpdates, PrintRequest } from '../ledger.ts'
import type { EventPosition } from '../update.ts'
import type { ContractsPage, Element, PageBounds, UpdatesPage } from '../update-service.ts'
import type { ContractsPageRequest, UpdatesPageRequest } from '../wire/requests.ts'

// Pages of updates and of active contracts, and their tokens. A token encodes the position at which the next
// page or stream continues. It is valid only for the request that it was made for.

const version = 1
const bytes = 1 + 8 + 4 + 8

/**
 * Encodes a position for a page token, or for the continuation token of a stream.
 * @param request at least 16 hex digits of the digest of the ledger and the request. They make the token
 * invalid for any other ledger or request.
 */
export function positionBytes({ offset, nodeId }: EventPosition, request: string): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUInt8(version)
  buffer.writeBigUInt64BE(BigInt(offset), 1)
  buffer.writeUInt32BE(nodeId, 9)
  buffer.write(request.slice(0, 16), 13, 'hex')
  return buffer
}

/**
 * Decodes a position that `positionBytes` encoded. Returns `undecodable` if the number of bytes is wrong.
 * Returns `foreign` if the token was made for another request, for another ledger or by another version of
 * this program.
 */
export function readPosition(given: Buffer, request: string): EventPosition | 'undecodable' | 'foreign' {
  if (given.length !== bytes) return 'undecodable'
  if (given.readUInt8() !== version || given.toString('hex', 13) !== request.slice(0, 16)) return 'foreign'
  return { offset: Number(given.readBigUInt64BE(1)), nodeId: given.readUInt32BE(9) }
}

const defaultPageSize = 100

/**
 * Returns the part of the requested range that the previous pages have not covered. A token contains the
 * offset at which the previous page ended. A caller may have forged the token, so the offset is checked.
 * @param id the digest of the request without its token.
 * @throws CantonError for a token that is malformed, was made for another request, or has an offset outside
 * the range.
 */
export function pageStart(
  request: UpdatesPageRequest,
  id: string,
  ledgerEnd: number,
  prunedUpTo: number,
): Bounds {
  const { beginOffsetExclusive: begin, endOffsetInclusive: end = ledgerEnd } = request
  const after = begin ?? prunedUpTo
  const from = tokenOffset(request, id)
  if (from === undefined) return { after, upTo: end }
  // Without `begin`, `after` is the end of the pruned updates. A valid token can have a lower offset if
  // updates were pruned since the previous page. In ascending order, `CheckRead` then rejects the page. In
  // descending order, the page is empty.
  if (from < (begin ?? 0) || from > Math.max(after, end)) throw new CantonError('invalidPageToken')
  return request.descendingOrder ? { after, upTo: from } : { after: from, upTo: end }
}

function tokenOffset({ pageToken }: UpdatesPageRequest, id: string): number | undefined {
  if (pageToken.length === 0) return undefined
  const position = readPosition(pageToken, id)
  if (position === 'undecodable')
    throw new CantonError('undecodablePageToken', {}, { context: { field_name: 'page_token' } })
  if (position === 'foreign') throw new CantonError('invalidPageToken')
  return position.offset
}

/**
 * Reads a page of updates. Looks for the first update after the page to learn whether there is a next page,
 * and where the next page begins. Reads the next batch while the consumer uses the previous one.
 */
export function readPage(
  request: UpdatesPageRequest,
  start: Bounds,
  id: string,
  { read, check }: UpdatePageDeps,
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
    nextPageToken:
      descending || endOffsetInclusive !== undefined ? null : token(Math.max(start.after, start.upTo)),
  })
  const updates = async function* (): AsyncGenerator<Uint8Array> {
    let { after, upTo } = start
    let left = size
    const ask = () => settled(after < upTo ? read({ after, upTo, descending, most: left }) : undefined)
    for (let asked = ask(); after < upTo; ) {
      const batch = await taken(asked)
      if (batch === undefined) break
      await check(batch.after)
      left -= batch.count
      if (descending) upTo = batch.after
      else after = batch.upTo
      if (batch.next === undefined) asked = ask()
      if (batch.count > 0) yield batch.json
      if (batch.next === undefined) continue
      bounds = goesOn(batch.next)
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

export interface UpdatePageDeps {
  readonly read: (range: Omit<PrintRequest, 'format' | 'rights'>) => Promise<PrintedUpdates>
  readonly check: CheckRead
}

const defaultContractsPageSize = 2000
const momentBytes = 8

/** The position at which a page of active contracts begins. */
export interface ContractsStart {
  /**
   * The offset at which the contracts on the page are active. A page and its next pages have the same offset.
   */
  readonly at: number
  /** The position of the last contract on the previous page; undefined for the first page. */
  readonly after: EventPosition | undefined
}

/** An active contract as JSON, with the position at which it was created. */
export type Placed = Element & EventPosition

/**
 * Returns the position at which a page of active contracts begins. The page token contains the offset at
 * which the contracts are active. If the request for the next page has no `activeAtOffset`, the offset in the
 * token applies.
 *
 * @param idOf returns the digest of a request for the contracts that are active at an offset.
 * @throws CantonError for a token that is malformed or was made for another request.
 */
export function contractsStart(
  { activeAtOffset, pageToken }: ContractsPageRequest,
  ledgerEnd: number,
  idOf: (at: number) => string,
): ContractsStart {
  if (pageToken.length === 0) return { at: activeAtOffset ?? ledgerEnd, after: undefined }
  if (pageToken.length <= momentBytes) throw new CantonError('invalidContractsPageToken')
  const at = Number(pageToken.readBigUInt64BE())
  const after = readPosition(pageToken.subarray(momentBytes), idOf(at))
  if (typeof after === 'string' || (activeAtOffset ?? at) !== at)
    throw new CantonError('invalidContractsPageToken')
  return { at, after }
}

/**
 * Takes a page from a stream of active contracts. If the stream has a contract after the page, the page gets
 * a token for the next page.
 */
export function takeContractsPage(
  { maxPageSize: size = defaultContractsPageSize }: ContractsPageRequest,
  at: number,
  id: string,
  contracts: AsyncIterable<readonly Placed[]>,
): ContractsPage {
  let next: { readonly token: string | null } | undefined
  const texts = async function* (): AsyncGenerator<string> {
    let left = size
    let last: Placed | undefined
    for await (const some of contracts) {
      const taken = some.slice(0, left)
      left -= taken.length
      last = taken.at(-1) ?? last
      if (taken.length > 0) yield taken.map(({ text }) => text).join(',')
      if (taken.length === some.length) continue
      next = { token: last === undefined ? null : tokenOf(at, last, id) }
      return
    }
    next = { token: null }
  }
  return {
    activeAtOffset: at,
    contracts: texts(),
    nextPageToken() {
      if (next === undefined) throw new Error('the page was not read to its end')
      return next.token
    },
  }
}

function tokenOf(at: number, last: EventPosition, id: string): string {
  const moment = Buffer.alloc(momentBytes)
  moment.writeBigUInt64BE(BigInt(at))
  return Buffer.concat([moment, positionBytes(last, id)]).toString('base64')
}
