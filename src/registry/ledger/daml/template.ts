import type { Contract } from '../update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros, Party, TemplateId } from '../value.ts'
import type { Package } from './packages.ts'
import { type DamlType, unit } from './type.ts'

export type ContractOf<A extends DamlRecord> = Contract & { readonly argument: A }

export interface Template<A extends DamlRecord = DamlRecord> {
  /** Format: `Module.Path:Entity`. */
  readonly name: string
  readonly package: Package
  readonly templateId: TemplateId
  readonly argument: DamlType<A>
  signatories(argument: A): readonly Party[]
  /**
   * The lookup keys for `ContractFilter.where`, each with the path to its string in the contract's
   * argument. The ledger keeps an index for each key.
   */
  readonly indexed: Readonly<Record<string, readonly string[]>>
  /** The field with the time at which automation must act on the contract, such as `expiresAt`. */
  readonly dueField: string | undefined
  /** Makes the view of the interface `Holding`. Only coin implements it. */
  holding?(argument: A): DamlRecord
}

export interface Choice<
  A extends DamlRecord = DamlRecord,
  C extends DamlRecord = DamlRecord,
  R extends DamlValue = DamlValue,
> {
  readonly template: Template<A>
  readonly name: string
  /** True if the choice archives the contract, which happens before the body runs. */
  readonly consuming: boolean
  readonly argument: DamlType<C>
  controllers(contract: ContractOf<A>, argument: C): readonly Party[]
  /**
   * Runs the body with the authority of the contract's signatories and the choice's controllers.
   * @throws Refused
   */
  run(scope: ChoiceActions, contract: ContractOf<A>, argument: C): R
}

/** The actions that the body of a choice can perform, as Daml's monad `Update`. */
export interface ChoiceActions {
  readonly now: Micros
  create<A extends DamlRecord>(template: Template<A>, argument: A): ContractId
  exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
    choice: Choice<A, C, R>,
    contractId: ContractId,
    argument: C,
  ): R
  fetch<A extends DamlRecord>(template: Template<A>, contractId: ContractId): ContractOf<A>
  archive<A extends DamlRecord>(template: Template<A>, contractId: ContractId): void
}

interface TemplateSpec<A extends DamlRecord> {
  readonly package: Package
  readonly argument: DamlType<A>
  readonly signatories: (argument: A) => readonly Party[]
  readonly indexed?: Readonly<Record<string, readonly string[]>>
  readonly dueField?: keyof A & string
  readonly holding?: (argument: A) => DamlRecord
}

export function defineTemplate<A extends DamlRecord>(name: string, spec: TemplateSpec<A>): Template<A> {
  return {
    name,
    package: spec.package,
    templateId: `${spec.package.id}:${name}`,
    argument: spec.argument,
    signatories: spec.signatories,
    indexed: spec.indexed ?? {},
    dueField: spec.dueField,
    ...(spec.holding && { holding: spec.holding }),
  }
}

type ChoiceSpec<A extends DamlRecord, C extends DamlRecord, R extends DamlValue> = Omit<
  Choice<A, C, R>,
  'template' | 'name' | 'consuming'
>

export function consuming<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  template: Template<A>,
  name: string,
  spec: ChoiceSpec<A, C, R>,
): Choice<A, C, R> {
  return { ...spec, template, name, consuming: true }
}

export function nonconsuming<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
  template: Template<A>,
  name: string,
  spec: ChoiceSpec<A, C, R>,
): Choice<A, C, R> {
  return { ...spec, template, name, consuming: false }
}

export function archiving<A extends DamlRecord>(template: Template<A>): Choice<A> {
  return consuming(template, 'Archive', {
    argument: unit,
    controllers: ({ signatories }) => signatories,
    run: () => ({}),
  })
}
