import { hash } from 'node:crypto'
import { parseJsonText } from '../../lib/parse-json-text.ts'
import { seededRandom } from '../../lib/random.ts'
import { isoTime, type Micros, microsIn } from '../world/instant.ts'
import { inOrderOfCreation, templateOf, updateIdOf } from '../world/served-contract.ts'
import type { PageAsked, ServedContract, SnapshotPage } from '../world/snapshots.ts'
import { shuffled } from './json-text.ts'

type ServedContracts = readonly ServedContract[]

export interface Falsehood {
  readonly salt: string
  /**
   * The name whose entry is falsified, or that a forged entry gets. If undefined, the first entry
   * is falsified, and a forged entry gets a made-up name.
   */
  readonly name: string | undefined
  readonly field: string
}

const year = 365 * 86_400_000_000

function hex(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n'), 'hex')
}

function concerned(contracts: ServedContracts, { name }: Falsehood): number {
  const found = contracts.findIndex(
    (contract) =>
      templateOf(contract) === 'Splice.Ans:AnsEntry' &&
      (name === undefined || contract.create_arguments['name'] === name),
  )
  return found === -1 ? contracts.length - 1 : found
}

export function altered(contracts: ServedContracts, falsehood: Falsehood): ServedContracts {
  const { field, salt } = falsehood
  const at = concerned(contracts, falsehood)
  return contracts.map((contract, index) =>
    index === at
      ? {
          ...contract,
          create_arguments: {
            ...contract.create_arguments,
            [field]: another(contract.create_arguments[field], salt),
          },
        }
      : contract,
  )
}

function another(value: unknown, salt: string): string {
  const text = typeof value === 'string' ? value : ''
  if (text.includes('::')) return `mallory::1220${hex(salt, 'party')}`
  const time = microsIn(text)
  return Number.isNaN(time) ? `${text}${hex(salt, text).slice(0, 6)}` : isoTime(time + year)
}

export function dropped(contracts: ServedContracts, falsehood: Falsehood): ServedContracts {
  return contracts.toSpliced(concerned(contracts, falsehood), 1)
}

export function added(contracts: ServedContracts, falsehood: Falsehood, at: Micros): ServedContracts {
  const forged = forgery(contracts, falsehood, { at, number: 0 })
  return forged === undefined ? contracts : inOrderOfCreation([...contracts, forged])
}

export function forgery(
  contracts: ServedContracts,
  { salt, name }: Falsehood,
  { at, number }: { readonly at: Micros; readonly number: number },
): ServedContract | undefined {
  const model = contracts.findLast((contract) => templateOf(contract) === 'Splice.Ans:AnsEntry')
  if (model === undefined) return undefined
  const { dso, name: known } = model.create_arguments
  const said = `${salt} ${number}`
  const suffix = String(known).slice(String(known).indexOf('.'))
  const user = `mallory::1220${hex(salt, 'party')}`
  const contractId = `00${hex(said, 'entry')}ca111220${hex(said, 'suffix')}`
  return {
    ...model,
    created_in_update_id: updateIdOf(contractId),
    contract_id: contractId,
    create_arguments: {
      user,
      dso: dso ?? null,
      name: name ?? `mallory-${hex(said).slice(0, 8)}${suffix}`,
      url: '',
      description: '',
      expiresAt: isoTime(at + year),
    },
    created_at: isoTime(at - 1_000_000),
    signatories: [String(dso), user].sort(),
  }
}

export function reordered(contracts: ServedContracts, seed: number): ServedContracts {
  return shuffled(contracts, seededRandom(seed))
}

export function ofAnotherDso(contracts: ServedContracts, dso: string, salt: string): ServedContracts {
  const other = `DSO::1220${hex(salt, 'dso')}`
  return parseJsonText(JSON.stringify(contracts).replaceAll(dso, other)) as ServedContracts
}

/**
 * Page tokens from this number on lead to false pages. Honest tokens are row numbers, which are
 * always smaller.
 */
const firstFalseToken = 2 ** 52

export function pagesBeyond({ after }: PageAsked): number | undefined {
  return after === undefined || after < firstFalseToken ? undefined : after - firstFalseToken
}

export function withTokenOfFalsePage(page: SnapshotPage): SnapshotPage {
  return page.next === null ? { ...page, next: firstFalseToken } : page
}

export function tokenBeyond(pages: number): number {
  return firstFalseToken + pages
}
