import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Json } from './contract.ts'
import type { Micros } from './instant.ts'

/** A contract of a snapshot, as `/v1/state/acs` returns it. */
export interface ServedContract {
  readonly [key: string]: Json
  /** The id of the update that created the contract. Null if the contract was imported. */
  readonly created_in_update_id: string | null
  readonly contract_id: string
  /** The template of the contract: `<package hash>:Module.Path:Entity`. */
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: { readonly [key: string]: Json }
  readonly created_at: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

export interface PageAsked {
  readonly at: Micros
  /** The row number after which the page begins. Undefined for the first page. */
  readonly after: number | undefined
  readonly size: number
}

export interface SnapshotPage {
  /** The time of the snapshot, as the page states it. */
  readonly at: Micros
  readonly contracts: readonly ServedContract[]
  /**
   * The token for the next page; null if the page is not full. A full page has a token even if nothing
   * follows.
   */
  readonly next: number | null
}

/** The snapshots of active contracts that a node has taken. */
export interface Snapshots {
  /** Returns the time of the last snapshot that is not later than `time`; undefined if there is none. */
  upTo(time: Micros): Micros | undefined
  /** Returns the time of the first snapshot that is later than `time`; undefined if there is none. */
  after(time: Micros): Micros | undefined
  /**
   * Returns all contracts of a snapshot, sorted by creation time and then by contract id. Empty if there is
   * no such snapshot. Callers can use the array as a cache key: while the snapshot is in memory, every call
   * returns the same array.
   */
  contracts(at: Micros): MaybePromise<readonly ServedContract[]>
  /**
   * Returns the page that the node sends. Present only if a fault changes the pages of the node. `honest`
   * returns the page of an honest node.
   */
  readonly paging?: (asked: PageAsked, honest: HonestPage) => MaybePromise<SnapshotPage>
}

export type HonestPage = (asked: PageAsked) => MaybePromise<SnapshotPage>

/**
 * The time between two snapshots of a scan, in microseconds: three hours. Scans take snapshots at 00:00,
 * 03:00, 06:00 ... UTC.
 */
export const gridPeriod: Micros = 3 * 3_600_000_000

/** Returns the time of the last snapshot, by the three-hour schedule, that is not later than `time`. */
function gridInstant(time: Micros): Micros {
  return Math.floor(time / gridPeriod) * gridPeriod
}

interface Span {
  /** All snapshots are later than this time. */
  readonly foundedAt: Micros
  /** No snapshot is later than this time. */
  readonly latest: Micros
}

/** Returns the snapshots of a node that takes one every three hours (`gridPeriod`). */
export function snapshotsOnGrid(
  { foundedAt, latest }: Span,
  contractsAt: (at: Micros) => MaybePromise<readonly ServedContract[]>,
): Snapshots {
  const upTo = (time: Micros) => {
    const at = gridInstant(Math.min(time, latest))
    return at > foundedAt ? at : undefined
  }
  return {
    upTo,
    after(time) {
      const at = gridInstant(Math.max(time, foundedAt)) + gridPeriod
      return at <= latest ? at : undefined
    },
    contracts: (at) => (upTo(at) === at ? contractsAt(at) : []),
  }
}

/** Returns the same snapshots without those that are earlier than `first`. */
export function snapshotsSince(snapshots: Snapshots, first: Micros): Snapshots {
  return {
    ...snapshots,
    upTo(time) {
      const at = snapshots.upTo(time)
      return at === undefined || at < first ? undefined : at
    },
    after: (time) => snapshots.after(Math.max(time, first - 1)),
    contracts: (at) => (at < first ? [] : snapshots.contracts(at)),
  }
}

/** The number of snapshots that are kept in memory. */
const mostKept = 4

/** Caches the contents of the most recently used snapshots, so that all nodes and pages share them. */
export class KeptSnapshots {
  readonly #make: (at: Micros) => MaybePromise<readonly ServedContract[]>
  readonly #kept = new Map<Micros, MaybePromise<readonly ServedContract[]>>()

  constructor(make: (at: Micros) => MaybePromise<readonly ServedContract[]>) {
    this.#make = make
  }

  at(time: Micros): MaybePromise<readonly ServedContract[]> {
    const known = this.#kept.get(time) ?? this.#make(time)
    this.#kept.delete(time)
    this.#kept.set(time, known)
    if (known instanceof Promise) known.catch(() => this.#forget(time, known))
    const [oldest] = this.#kept.keys()
    if (oldest !== undefined && this.#kept.size > mostKept) this.#kept.delete(oldest)
    return known
  }

  #forget(time: Micros, failed: MaybePromise<readonly ServedContract[]>): void {
    if (this.#kept.get(time) === failed) this.#kept.delete(time)
  }
}
