import { CantonError } from '../../errors/canton.ts'
import type { Bounds } from '../feed/feed.ts'
import type { EventPosition } from '../update.ts'
import type { ContractsPage, Element, Elements, PageBounds, UpdatesPage } from '../update-service.ts'
import type { ContractsPageRequest, UpdatesPageRequest } from '../wire/requests.ts'

// A page token encodes the position at which the next page continues. It is valid only for the
// request that it was made for.

const version = 1
const bytes = 1 + 8 + 4 + 8

/**
 * @param request the digest of the ledger and the request. The token contains the first 16 hex
 * digits of the digest.
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
 * Returns `undecodable` for a wrong number of bytes. Returns `foreign` for a token of another
 * request, of another ledger, or in the format of another version of this program.
 */
export function readPosition(given: Buffer, request: string): EventPosition | 'undecodable' | 'foreign' {
  if (given.length !== bytes) return 'undecodable'
  if (given.readUInt8() !== version || given.toString('hex', 13) !== request.slice(0, 16)) return 'foreign'
  return { offset: Number(given.readBigUInt64BE(1)), nodeId: given.readUInt32BE(9) }
}

const defaultPageSize = 100

/**
 * Returns the part of the requested range after the previous pages. A caller may have forged the
 * token, so its offset is checked.
 * @param id one digest of the ledger's id and of the request without its token.
 * @throws CantonError
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
  // Without `begin`, `after` is the end of the pruned updates. If updates were pruned since the
  // previous page, a valid token has a lower offset. The lower limit is therefore 0, not `after`.
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

export function readPage(
  request: UpdatesPageRequest,
  start: Bounds,
  id: string,
  elements: Elements,
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
  const updates = async function* (): AsyncGenerator<string> {
    let left = size
    for await (const some of elements) {
      const taken = some.slice(0, left)
      left -= taken.length
      if (taken.length > 0) yield listed(taken)
      const next = some[taken.length]
      if (next === undefined) continue
      bounds = goesOn(next.offset)
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

function listed(elements: readonly Element[]): string {
  return elements.map(({ text }) => text).join(',')
}

const defaultContractsPageSize = 2000
const momentBytes = 8

export interface ContractsStart {
  readonly at: number
  readonly after: EventPosition | undefined
}

export type Placed = Element & EventPosition

/**
 * The page token contains the offset at which the contracts are active. The offset applies if the
 * request for the next page has no `activeAtOffset`.
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
      if (taken.length > 0) yield listed(taken)
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
