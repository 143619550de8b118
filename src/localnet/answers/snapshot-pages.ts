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
 * Returns the position of each contract's last row, counted from 0 at the snapshot's first row. A snapshot
 * has one row for each stakeholder of each contract. Page tokens are row numbers that are computed from these
 * positions.
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
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] ?? 0) > number) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Returns a function that reads pages as AcsSnapshotStore.scala of Splice does. A page's token is a row
 * number in the database of the super validator's node. A full page has a token even if nothing follows. If
 * the given token is no row of the snapshot, the function throws a `Say` or rejects with one.
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
