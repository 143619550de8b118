import { firstIndex } from '../../lib/first-index.ts'
import { whenKnown } from '../../lib/maybe-promise.ts'
import { thrownError } from '../reply.ts'
import type { Member } from '../world/dso.ts'
import type { Micros } from '../world/instant.ts'
import { type ActiveFilter, isWanted } from '../world/served-contract.ts'
import {
  gridPeriod,
  type HonestPage,
  type PageAsked,
  type ServedContract,
  type SnapshotPage,
  type Snapshots,
} from '../world/snapshots.ts'
import { indexOf, Say } from './asked.ts'

/** How many row numbers a node's database reserves for each snapshot. No snapshot has so many rows. */
const mostRows = 10_000_000

/** Returns the row number of a snapshot's first row in the database of one super validator's node. */
function firstRow(at: Micros, member: Member): number {
  return (at / gridPeriod) * mostRows + 7 * (indexOf(member) + 1)
}

const counted = new WeakMap<readonly ServedContract[], readonly number[]>()

/**
 * Returns the position of the last row of each contract. The first row of the snapshot has the position 0,
 * and each contract has one row for each stakeholder. Page tokens are computed from these positions.
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
 * Returns the index of the first number that is greater than `number`, or the length of the list if there is
 * none. The numbers must ascend.
 */
function firstAbove(numbers: readonly number[], number: number): number {
  return firstIndex(numbers.length, (index) => (numbers[index] ?? 0) > number)
}

/**
 * Returns a function that reads pages as AcsSnapshotStore.scala of Splice does:
 * - The token of a page is the number of its last row in the node's database.
 * - A full page has a token even if nothing follows.
 * - A token that is not in the snapshot's range of rows leads to an error (a `Say`).
 */
export function honestPage(snapshots: Snapshots, filter: ActiveFilter, member: Member): HonestPage {
  return ({ at, after, size }) =>
    whenKnown(snapshots.contracts(at), (contracts): SnapshotPage => {
      const rows = lastRows(contracts)
      const base = firstRow(at, member)
      if (after !== undefined) checkToken(after, base, base + (rows.at(-1) ?? 0))
      const found: ServedContract[] = []
      let next: number | null = null
      const begin = after === undefined ? 0 : firstAbove(rows, after - base)
      for (let index = begin; index < contracts.length && found.length < size; index++) {
        const contract = contracts[index]
        if (contract === undefined || !isWanted(contract, filter)) continue
        found.push(contract)
        if (found.length === size) next = base + (rows[index] ?? 0)
      }
      return { at, contracts: found, next }
    })
}

function checkToken(after: number, first: number, last: number): void {
  if (after >= first && after <= last) return
  const problem = `Invalid after token, outside of snapshot range (${first} to ${last}).`
  throw new Say(thrownError(400, problem))
}

/**
 * Returns the page that a node sends: the honest page, unless the node has a fault that changes its pages.
 */
export function pageOf(snapshots: Snapshots, asked: PageAsked, honest: HonestPage) {
  return snapshots.paging?.(asked, honest) ?? honest(asked)
}
