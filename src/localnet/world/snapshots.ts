import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import { add, type Decimal, decimal, zero } from '../../registry/ledger/daml/decimal.ts'
import { byCodePoint } from './collation.ts'
import { type Contract, type Json, type JsonObject, type Micros, microsIn } from './contract.ts'

export interface ServedContract {
  readonly [key: string]: Json
  /** The update that created the contract. Null if the contract was imported. */
  readonly created_in_update_id: string | null
  readonly contract_id: string
  /** The template is written `<package hash>:Module.Path:Entity`. */
  readonly template_id: string
  readonly package_name: string
  readonly create_arguments: JsonObject
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

export function snapshotsOnGrid({ foundedAt, latest }: GridSpan, contractsAt: SnapshotSource): Snapshots {
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

type SnapshotSource = (at: Micros) => MaybePromise<readonly ServedContract[]>

/** Remembers the snapshots that were asked for last. A snapshot that cannot be made is made again. */
export function rememberingSnapshots(make: SnapshotSource): SnapshotSource {
  const kept = new LRUCache<Micros, MaybePromise<readonly ServedContract[]>>({ max: 4 })
  return (at) => {
    const known = kept.get(at) ?? make(at)
    kept.set(at, known)
    if (known instanceof Promise) known.catch(() => kept.delete(at))
    return known
  }
}

export interface ActiveFilter {
  /** One of these parties must be a stakeholder of the contract. */
  readonly parties?: readonly string[] | undefined
  /** A template is written `package-name:Module.Path:Entity`. */
  readonly templates?: readonly string[] | undefined
  readonly owners?: readonly string[] | undefined
}

export type Totals = NonNullable<ReturnType<typeof totalsOf>>

const coinTemplates: ReadonlySet<string> = new Set(['Splice.Amulet:Amulet', 'Splice.Amulet:LockedAmulet'])

/** Returns the template without its package: `Module.Path:Entity`. */
export function templateOf({ template_id: id }: Pick<ServedContract, 'template_id'>): string {
  return id.slice(id.indexOf(':') + 1)
}

export function isWanted(contract: ServedContract, { parties, templates, owners }: ActiveFilter): boolean {
  const { package_name: packageName, signatories, observers } = contract
  const template = templateOf(contract)
  if (parties?.some((party) => signatories.includes(party) || observers.includes(party)) === false)
    return false
  if (templates?.includes(`${packageName}:${template}`) === false) return false
  return (
    owners === undefined ||
    (coinTemplates.has(template) && owners.includes(String(coinIn(contract)['owner'])))
  )
}

export function totalsOf(contracts: readonly ServedContract[], owner: string) {
  const own = contracts.filter((contract) => isWanted(contract, { owners: [owner] }))
  if (own.length === 0) return undefined
  const isLocked = ({ create_arguments: { amulet } }: ServedContract) => amulet !== undefined
  const unlocked = sum(own.filter((contract) => !isLocked(contract)))
  const locked = sum(own.filter(isLocked))
  return { unlocked, locked, all: add(unlocked, locked) }
}

function coinIn({ create_arguments: argument }: ServedContract): JsonObject {
  return (argument['amulet'] ?? argument) as JsonObject
}

/** Returns the coin in all contracts together. */
export function totalOf(contracts: readonly ServedContract[]): Decimal {
  return sum(contracts.filter((contract) => coinTemplates.has(templateOf(contract))))
}

function sum(coins: readonly ServedContract[]): Decimal {
  return coins.reduce((total, coin) => {
    const { initialAmount } = coinIn(coin)['amount'] as JsonObject
    return add(total, decimal(String(initialAmount)))
  }, zero)
}

/**
 * Sorts contracts by creation time, then by contract id. AcsSnapshotStore.scala of Splice uses this
 * order, so that all scans agree on the content of a page.
 */
export function inOrderOfCreation(contracts: readonly ServedContract[]): readonly ServedContract[] {
  return contracts
    .map((contract) => ({ contract, at: microsIn(contract.created_at) }))
    .sort((a, b) => a.at - b.at || byCodePoint(a.contract.contract_id, b.contract.contract_id))
    .map(({ contract }) => contract)
}

export function createdBefore(contracts: readonly ServedContract[], time: Micros): readonly ServedContract[] {
  return contracts.filter(({ created_at: at }) => microsIn(at) < time)
}

export function updateIdOf(contractId: string): string {
  return `1220${hash('sha256', `created in ${contractId}`, 'hex')}`
}

export function servedContract(
  contract: Omit<Contract, 'created_event_blob'>,
  dso: string,
  observers: readonly string[] = [],
): ServedContract {
  const { template_id: templateId, contract_id: contractId, payload, created_at: createdAt } = contract
  return {
    created_in_update_id: updateIdOf(contractId),
    contract_id: contractId,
    template_id: templateId,
    package_name: packageNameOf(templateId),
    create_arguments: payload,
    created_at: createdAt,
    signatories: [dso],
    observers,
  }
}

function packageNameOf(templateId: string): string {
  const module = templateId.split(':')[1] ?? ''
  if (module === 'Splice.DsoRules' || module.startsWith('Splice.DSO.')) return 'splice-dso-governance'
  return module === 'Splice.Ans' ? 'splice-amulet-name-service' : 'splice-amulet'
}
