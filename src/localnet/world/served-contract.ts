import { hash } from 'node:crypto'
import { add, type Decimal, decimal, zero } from '../../ledger/daml/decimal.ts'
import { byCodePoint } from './collation.ts'
import type { Contract, Json } from './contract.ts'
import { type Micros, microsIn } from './instant.ts'
import type { ServedContract } from './snapshots.ts'

type JsonRecord = { readonly [key: string]: Json }

export interface ActiveFilter {
  /** One of these parties must be a stakeholder of the contract. */
  readonly parties?: readonly string[] | undefined
  /** A template is written `package-name:Module.Path:Entity`. */
  readonly templates?: readonly string[] | undefined
  readonly owners?: readonly string[] | undefined
}

export interface Totals {
  readonly unlocked: string
  readonly locked: string
  readonly all: string
}

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

export function totalsOf(contracts: readonly ServedContract[], owner: string): Totals | undefined {
  const own = contracts.filter((contract) => isWanted(contract, { owners: [owner] }))
  if (own.length === 0) return undefined
  const isLocked = ({ create_arguments: { amulet } }: ServedContract) => amulet !== undefined
  const unlocked = sum(own.filter((contract) => !isLocked(contract)))
  const locked = sum(own.filter(isLocked))
  return { unlocked, locked, all: add(unlocked, locked) }
}

function coinIn({ create_arguments: argument }: ServedContract): JsonRecord {
  return (argument['amulet'] ?? argument) as JsonRecord
}

function sum(coins: readonly ServedContract[]): Decimal {
  return coins.reduce((total, coin) => {
    const { initialAmount } = coinIn(coin)['amount'] as JsonRecord
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
