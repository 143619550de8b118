import type { Command, Submission } from './command.ts'
import type { Choice, ContractOf, Template } from './daml/template.ts'
import { microsOf } from './daml/time.ts'
import type { Committed, ContractFilter, DueFilter, Ledger, UserContract } from './ledger.ts'
import type { Contract } from './update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros } from './value.ts'

/** The maximum length of a list of contracts in the registry and the wallet, as in Splice. */
export const mostListed = 1000

/** The type of the contracts of a template constant: `ContractFrom<typeof AnsRules>`. */
export type ContractFrom<T> = T extends Template<infer A> ? ContractOf<A> : never

/** Lets a submission use contracts whose stakeholders do not include its submitters. */
export function disclosed(
  contracts: readonly Pick<Contract, 'contractId' | 'createdEventBlob'>[],
): Submission['disclosed'] {
  return contracts.map(({ contractId, createdEventBlob }) => ({ contractId, createdEventBlob }))
}

export function create<A extends DamlRecord>(template: Template<A>, argument: NoInfer<A>): Command {
  return { kind: 'create', template: template.name, argument }
}

export function exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  choice: Choice<A, C, R>,
  contractId: ContractId,
  argument: NoInfer<C>,
): Command {
  return { kind: 'exercise', template: choice.template.name, contractId, choice: choice.name, argument }
}

export function resultOf<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  _choice: Choice<A, C, R>,
  { result }: Committed,
): R {
  return result as R
}

type TypedContract<A extends DamlRecord, C extends UserContract> = C & { readonly argument: A }

export async function findContract<A extends DamlRecord, C extends UserContract>(
  ledger: { contract(contractId: ContractId): Promise<C | undefined> },
  template: Template<A>,
  contractId: ContractId,
): Promise<TypedContract<A, C> | undefined> {
  const contract = await ledger.contract(contractId)
  return contract?.templateId.endsWith(`:${template.name}`) ? (contract as TypedContract<A, C>) : undefined
}

export async function listContracts<A extends DamlRecord, C extends UserContract>(
  ledger: { contracts(filter: ContractFilter, limit: number): Promise<readonly C[]> },
  template: Template<A>,
  filter: Omit<ContractFilter, 'template'>,
  limit: number,
): Promise<readonly TypedContract<A, C>[]> {
  const contracts = await ledger.contracts({ template: template.name, ...filter }, limit)
  return contracts as readonly TypedContract<A, C>[]
}

export async function* dueContracts<A extends DamlRecord>(
  ledger: Pick<Ledger, 'due'>,
  template: Template<A>,
  before: Micros,
  limit: number,
): AsyncGenerator<readonly ContractOf<A>[]> {
  let after: DueFilter['after']
  for (;;) {
    const filter = { template: template.name, before, ...(after !== undefined && { after }) }
    const page = (await ledger.due(filter, limit)) as readonly ContractOf<A>[]
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return
    after = { dueAt: dueAt(template, last), contractId: last.contractId }
  }
}

function dueAt<A extends DamlRecord>(template: Template<A>, { argument }: ContractOf<A>): Micros {
  const at = template.dueField === undefined ? undefined : argument[template.dueField]
  if (typeof at !== 'string') throw new TypeError(`${template.name} has no time at which it is due`)
  return microsOf(at)
}
