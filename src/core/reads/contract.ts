import type { Json } from '../../base/lib/canonical-json.ts'
import { compareCodePoints } from './code-points.ts'
import { instantKey } from './instant.ts'
import { leaf, object, optional, type PatternOf, string, type TypeOf } from './pattern.ts'
import { membersWithoutVote } from './releases.ts'

export const isoTime = leaf<string>('time')
export const decimal = leaf<string>('decimal')
export const party = leaf<string>('party')
export const jsonObject = leaf<{ readonly [key: string]: Json }>('json object')
/** A set of texts, which scans may print in any order. */
export const setOfTexts: PatternOf<string[]> = { set: 'string' }

/** A member of `membersWithoutVote`. Whatever a scan gives is read as the constant. */
export function withoutVote<Value>(
  name: keyof typeof membersWithoutVote,
  of: PatternOf<Value>,
): PatternOf<Value> {
  return { constant: membersWithoutVote[name], of }
}

/** One of these texts, or one that a newer release added, which the type does not show. */
export function oneOf<Known extends string>(): PatternOf<Known> {
  return leaf('string')
}

/** `Contract` in Splice's common-external.yaml. */
const members = object({
  template_id: string,
  contract_id: string,
  payload: jsonObject,
  created_event_blob: string,
  created_at: isoTime,
})
export const contract: PatternOf<TypeOf<typeof members>> = { contract: members }

/** The contract that an event created, as scans print it in snapshots and updates. */
export const contractOfEvent = {
  contract_id: string,
  template_id: string,
  package_name: string,
  create_arguments: jsonObject,
  created_at: isoTime,
  signatories: setOfTexts,
  observers: setOfTexts,
}

export type ScanContract = TypeOf<typeof contract>

/**
 * `ContractWithState` in Splice's common-internal.yaml. The domain is null while the contract is
 * being reassigned.
 */
export const contractWithState = object({ contract, domain_id: optional(string) })

export type ContractWithState = TypeOf<typeof contractWithState>

type Created = Pick<ScanContract, 'created_at' | 'contract_id'>

export function byCreation(a: Created, b: Created): number {
  return (
    compareCodePoints(instantKey(a.created_at), instantKey(b.created_at)) ||
    compareCodePoints(a.contract_id, b.contract_id)
  )
}

/** Returns the creation time of the newest contract, as a text that sorts like the time. */
export function newestOf(contracts: readonly ScanContract[]): string | undefined {
  return contracts
    .map(({ created_at }) => instantKey(created_at))
    .sort()
    .at(-1)
}

/** The part of a row that reads of one contract share. The answer has it in the member `<name>_update`. */
export function oneContract<const Name extends string>(name: Name) {
  const member = `${name}_update` as const
  type OfMember = { readonly [Member in typeof member]: ContractWithState }
  return {
    cachedContract: { member, fields: [`cached_${name}_contract_id`, `cached_${name}_domain_id`] },
    version: { of: (value: OfMember) => newestOf([value[member].contract]), absence: 'newer' },
  } as const
}

export function textIn({ payload }: ScanContract, field: string): string | undefined {
  const value = payload[field]
  return typeof value === 'string' ? value : undefined
}
