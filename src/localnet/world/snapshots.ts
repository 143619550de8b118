import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Json } from './contract.ts'
import type { Micros } from './instant.ts'

export interface ServedContract {
  readonly [key: string]: Json
  /** The update that created the contract. Null if the contract was imported. */
  readonly created_in_update_id: string | null
  readonly contract_id: string
  /** The template is written `<package hash>:Module.Path:Entity`. */
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: { readonly [key: string]: Json }
  readonly created_at: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

export interface PageAsked {
  readonly at: Micros
  readonly after: number | undefined
  readonly size: number
}

export interface SnapshotPage {
  readonly at: Micros
  readonly contracts: readonly ServedContract[]
  /** The token for the next page; null if the page is not full. */
  readonly next: number | null
}

export interface Snapshots {
  upTo(time: Micros): Micros | undefined
  after(time: Micros): Micros | undefined
  /**
   * Returns all contracts, sorted by creation time and contract id; empty if there is no such
   * snapshot. Callers may use the array as a cache key: it stays the same while the snapshot is in
   * memory.
   */
  contracts(at: Micros): MaybePromise<readonly ServedContract[]>
  /**
   * Returns the page that the node sends. Present only if a fault changes the pages; `honest`
   * returns the page of an honest node.
   */
  readonly paging?: (asked: PageAsked, honest: HonestPage) => MaybePromise<SnapshotPage>
}

export type HonestPage = (asked: PageAsked) => MaybePromise<SnapshotPage>

/**
 * Scans take a snapshot every three hours: at 00:00, 03:00, 06:00 ... UTC. The period is in
 * microseconds.
 */
export const gridPeriod: Micros = 3 * 3_600_000_000

function gridInstant(time: Micros): Micros {
  return Math.floor(time / gridPeriod) * gridPeriod
}

interface GridSpan {
  readonly foundedAt: Micros
  readonly latest: Micros
}

export function snapshotsOnGrid(
  { foundedAt, latest }: GridSpan,
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

const mostKept = 4

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
