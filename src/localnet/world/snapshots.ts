import { type MaybePromise, whenKnown } from '../../lib/maybe-promise.ts'
import type { Json } from './contract.ts'
import type { Micros } from './instant.ts'

/** A contract of a snapshot, in the form of `/v1/state/acs`. */
export interface ServedContract {
  readonly [key: string]: Json
  /** Null if the contract was imported. */
  readonly created_in_update_id: string | null
  readonly contract_id: string
  /** `<package hash>:Module.Path:Entity` */
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: { readonly [key: string]: Json }
  readonly created_at: string
  readonly signatories: readonly string[]
  readonly observers: readonly string[]
}

/** A question for one page of a snapshot. */
export interface PageAsked {
  /** The time of the snapshot. */
  readonly at: Micros
  /** The number of the row after which the page begins. Without it, the page is the first one. */
  readonly after: number | undefined
  readonly size: number
}

export interface SnapshotPage {
  /** The time of the snapshot that the page says it is of. */
  readonly at: Micros
  readonly contracts: readonly ServedContract[]
  /** The token for the next page. */
  readonly next: number | null
}

/** Snapshots of active contracts that a node has taken. */
export interface Snapshots {
  /** The time of the last snapshot at or before `time`. */
  upTo(time: Micros): Micros | undefined
  /** The time of the first snapshot after `time`. */
  after(time: Micros): Micros | undefined
  /**
   * Every contract of a snapshot, by creation and then by contract id; none if there is no such snapshot. The result is
   * the same array for as long as the snapshot is kept.
   */
  contracts(at: Micros): MaybePromise<readonly ServedContract[]>
  /** The pages of a node that does not page as the others do. `honest` returns the page that they would return. */
  readonly paging?: (asked: PageAsked, honest: HonestPage) => MaybePromise<SnapshotPage>
}

export type HonestPage = (asked: PageAsked) => MaybePromise<SnapshotPage>

/** Three hours in microseconds: how often a scan takes a snapshot, at 00:00, 03:00, 06:00 ... UTC. */
export const gridPeriod: Micros = 3 * 3_600_000_000

/** The last instant of the grid that is not after `time`. */
function gridInstant(time: Micros): Micros {
  return Math.floor(time / gridPeriod) * gridPeriod
}

interface Span {
  /** The first snapshot is the first one after this. */
  readonly foundedAt: Micros
  /** The node has no snapshot of a later time. */
  readonly latest: Micros
}

/** The snapshots that a node has of every instant of the grid. */
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

/** Returns the snapshots of a node that has taken none before a time. */
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

/** How many snapshots are kept in memory. */
const mostKept = 4

/** The contents of the snapshots that were read last. A snapshot is made once, however many nodes and pages ask for it. */
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
    return whenKnown(known, (contracts) => contracts)
  }

  #forget(time: Micros, failed: MaybePromise<readonly ServedContract[]>): void {
    if (this.#kept.get(time) === failed) this.#kept.delete(time)
  }
}
