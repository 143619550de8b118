import { CantonError } from '../../errors/canton.ts'
import type { Place } from '../ledger.ts'
import type { ContractsPage, Element } from '../update-service.ts'
import type { ContractsPageRequest } from '../wire/requests.ts'
import { positionBytes, readPosition } from './position.ts'

const defaultPageSize = 2000
const momentBytes = 8

/** Where a page of active contracts begins. */
export interface ContractsStart {
  /** The offset after which the contracts are active; every page of one snapshot has the same. */
  readonly at: number
  /** The last contract of the page before; undefined for the first page. */
  readonly after: Place | undefined
}

/** A contract as the page's reader sees it, and its place in the ledger. */
export type Placed = Element & Place

/**
 * A page token carries the snapshot's offset, so that a request without one goes on in the snapshot of the first page.
 *
 * @param idOf the digest of a request for the contracts that are active at an offset.
 * @throws CantonError for a token of another request.
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

/** Takes a page of the contracts, and looks for one more, to know whether there is a next page. */
export function takeContractsPage(
  { maxPageSize: size = defaultPageSize }: ContractsPageRequest,
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

function tokenOf(at: number, last: Place, id: string): string {
  const moment = Buffer.alloc(momentBytes)
  moment.writeBigUInt64BE(BigInt(at))
  return Buffer.concat([moment, positionBytes(last, id)]).toString('base64')
}
