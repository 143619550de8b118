import { hash } from 'node:crypto'
import { firstIndex } from '../../base/lib/first-index.ts'
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

const counted = new WeakMap<readonly ServedContract[], readonly number[]>()

/**
 * Returns the index, from 0, of each contract's last row. As in Splice's database, a contract has
 * one row for each stakeholder.
 */
function lastRows(contracts: readonly ServedContract[]): readonly number[] {
  const known = counted.get(contracts)
  if (known !== undefined) return known
  let rows = 0
  const made = contracts.map(({ signatories, observers }) => {
    rows += signatories.length + observers.length
    return rows - 1
  })
  counted.set(contracts, made)
  return made
}

/**
 * Reads pages as AcsSnapshotStore.scala of Splice does. The token of a full page is the row number
 * of its last contract, even if nothing follows. Each node has its own row numbers.
 */
export function honestPage(snapshots: Snapshots, filter: ActiveFilter, member: Member): HonestPage {
  return async ({ at, after, size }) => {
    const contracts = await snapshots.contracts(at)
    const rows = lastRows(contracts)
    const base = (at / gridPeriod) * mostRows + 7 * (indexOf(member) + 1)
    const last = base + (rows.at(-1) ?? 0)
    const problem = `Invalid after token, outside of snapshot range (${base} to ${last}).`
    if (after !== undefined && (after < base || after > last)) refuse(thrownError(400, problem))
    const found: ServedContract[] = []
    let next: number | null = null
    const begin =
      after === undefined ? 0 : firstIndex(rows.length, (index) => base + (rows[index] ?? 0) > after)
    for (let index = begin; index < contracts.length && found.length < size; index++) {
      const contract = contracts[index]
      if (contract === undefined || !isWanted(contract, filter)) continue
      found.push(contract)
      if (found.length === size) next = base + (rows[index] ?? 0)
    }
    return { at, contracts: found, next }
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
