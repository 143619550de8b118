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

/** More rows than a snapshot has. */
const mostRows = 10_000_000

/** The number of the first row of a snapshot in the database of a member's node. */
function firstRow(at: Micros, member: Member): number {
  return (at / gridPeriod) * mostRows + 7 * (indexOf(member) + 1)
}

const counted = new WeakMap<readonly ServedContract[], readonly number[]>()

/**
 * The position of each contract's last row. A snapshot has one row for each stakeholder of a contract, and a contract's
 * token is its last row.
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

/** The index of the first number that is greater than `number`, in ascending numbers. */
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
 * Reads pages as AcsSnapshotStore.scala of Splice does: the token is the number of a row in the database of this node,
 * a full page has a token even if nothing follows, and a token out of the snapshot's rows is refused.
 * @throws Say, or rejects with it, for a token out of the snapshot's rows.
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

/** The page that a node answers with, honest or not. */
export function pageOf(snapshots: Snapshots, asked: PageAsked, honest: HonestPage) {
  return snapshots.paging?.(asked, honest) ?? honest(asked)
}
