import { hash } from 'node:crypto'
import { tryJsonText } from '../../base/lib/parse-json-text.ts'
import { thrownError } from '../reply.ts'
import type { Micros } from '../world/contract.ts'
import type { Member } from '../world/network.ts'
import {
  type ActiveFilter,
  gridPeriod,
  type HonestPage,
  isWanted,
  type PageAsked,
  type ServedContract,
  type Snapshots,
} from '../world/snapshots.ts'
import { indexOf, refuse } from './asked.ts'

/**
 * The number of row numbers that a node reserves for each snapshot, so that page tokens of two
 * snapshots never coincide.
 */
const mostRows = 10_000_000

/**
 * Reads pages as AcsSnapshotStore.scala of Splice does. The token of a full page is the row number
 * of its last contract, even if nothing follows. Each node has its own row numbers.
 */
export function honestPage(snapshots: Snapshots, filter: ActiveFilter, member: Member): HonestPage {
  return async ({ at, after, size }) => {
    const contracts = await snapshots.contracts(at)
    const base = (at / gridPeriod) * mostRows + 7 * (indexOf(member) + 1)
    const last = base + Math.max(0, contracts.length - 1)
    const problem = `Invalid after token, outside of snapshot range (${base} to ${last}).`
    if (after !== undefined && (after < base || after > last)) refuse(thrownError(400, problem))
    const found: ServedContract[] = []
    let index = after === undefined ? 0 : after - base + 1
    for (; index < contracts.length && found.length < size; index++) {
      const contract = contracts[index]
      if (contract !== undefined && isWanted(contract, filter)) found.push(contract)
    }
    return { at, contracts: found, next: found.length === size ? base + index - 1 : null }
  }
}

/**
 * Returns a page token as `/v2/state/acs` has it: an opaque text that only the same node takes, for
 * the same snapshot.
 */
export function opaqueToken(row: number, at: Micros, member: Member): string {
  const seal = hash('sha256', `${member.name} ${at} ${row}`, 'hex').slice(0, 16)
  return Buffer.from(JSON.stringify([row, seal])).toString('base64')
}

/** Refuses if the token is not one of this node for this snapshot. */
export function rowIn(token: string, at: Micros, member: Member): number {
  const content = tryJsonText(Buffer.from(token, 'base64').toString())
  const row: unknown = Array.isArray(content) ? content[0] : undefined
  if (typeof row === 'number' && opaqueToken(row, at, member) === token) return row
  refuse(thrownError(400, 'Invalid after token.'))
}

export function pageOf(snapshots: Snapshots, asked: PageAsked, honest: HonestPage) {
  return snapshots.paging?.(asked, honest) ?? honest(asked)
}
