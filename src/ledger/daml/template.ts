import type { Contract } from '../update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros, Party, TemplateId } from '../value.ts'
import type { Package } from './packages.ts'
import { type DamlType, unit } from './type.ts'

export type ContractOf<A extends DamlRecord> = Contract & { readonly argument: A }

/**
 * A Daml template: the type of its argument, its signatories and observers, its precondition (`ensure`), and the keys
 * by which this ledger finds its contracts.
 */
export interface Template<A extends DamlRecord = DamlRecord> {
  /** The name of the template: `Module.Path:Entity`. */
  readonly name: string
  readonly package: Package
  /** The template id that new contracts get. */
  readonly templateId: TemplateId
  readonly argument: DamlType<A>
  signatories(argument: A): readonly Party[]
  observers(argument: A): readonly Party[]
  ensure(argument: A): boolean
  /**
   * The lookup keys that `ContractFilter.where` can have. Each lookup key is mapped to the path of a string
   * in the contract's argument. The ledger keeps an index for each lookup key.
   */
  readonly indexed: Readonly<Record<string, readonly string[]>>
  /**
   * The field of the argument that holds the time at which automation must act on the contract (`expiresAt`,
   * `nextPaymentDueAt`). Undefined if the template has no such field.
   */
  readonly due: string | undefined
  readonly interfaces: readonly InterfaceInstance<A>[]
}

/** A Daml choice: its controllers and its body. */
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
   * Runs the body of the choice, with the authority of the contract's signatories and of the choice's controllers.
   * @returns the result of the choice.
   * @throws Refused
   */
  run(scope: Scope, contract: ContractOf<A>, argument: C): R
}

/** The actions that the body of a choice can perform. In Daml, this is the monad `Update`. */
export interface Scope {
  /** The ledger effective time of the transaction. */
  readonly now: Micros
  create<A extends DamlRecord>(template: Template<A>, argument: A): ContractId
  exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
    choice: Choice<A, C, R>,
    contractId: ContractId,
    argument: C,
  ): R
  /**
   * Reads a contract. At least one stakeholder of the contract must be among the parties whose authority the body has.
   */
  fetch<A extends DamlRecord>(template: Template<A>, contractId: ContractId): ContractOf<A>
  archive<A extends DamlRecord>(template: Template<A>, contractId: ContractId): void
}

interface TemplateSpec<A extends DamlRecord> {
  readonly package: Package
  readonly argument: DamlType<A>
  readonly signatories: (argument: A) => readonly Party[]
  readonly ensure?: (argument: A) => boolean
  readonly indexed?: Readonly<Record<string, readonly string[]>>
  readonly due?: keyof A & string
  readonly interfaces?: readonly InterfaceInstance<A>[]
}

/** Defines a template without observers. No template of this ledger has observers. */
export function defineTemplate<A extends DamlRecord>(name: string, spec: TemplateSpec<A>): Template<A> {
  return {
    name,
    package: spec.package,
    templateId: `${spec.package.id}:${name}`,
    argument: spec.argument,
    signatories: spec.signatories,
    observers: () => [],
    ensure: spec.ensure ?? (() => true),
    indexed: spec.indexed ?? {},
    due: spec.due,
    interfaces: spec.interfaces ?? [],
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

/** Returns the choice `Archive`, which every template has. */
export function archiving<A extends DamlRecord>(template: Template<A>): Choice<A> {
  return consuming(template, 'Archive', {
    argument: unit,
    controllers: ({ signatories }) => signatories,
    run: () => ({}),
  })
}

/** A template and all its choices, `Archive` included. */
export interface TemplateDefinition {
  readonly template: Template
  readonly choices: ReadonlyMap<string, Choice>
}

/** Template definitions by the name of the template: `Module.Path:Entity`. */
export type Templates = ReadonlyMap<string, TemplateDefinition>

export function templatesOf(
  rows: readonly { readonly template: Template; readonly choices: readonly Choice[] }[],
): Templates {
  return new Map(
    rows.map(({ template, choices }) => [
      template.name,
      {
        template,
        choices: new Map([...choices, archiving(template)].map((choice) => [choice.name, choice])),
      },
    ]),
  )
}

/**
 * A Daml interface. Several templates can implement the same interface. Their contracts then have views of
 * the same type.
 */
export interface Interface {
  /** The name of the interface: `Module.Path:Entity`. */
  readonly name: string
  readonly package: Package
  readonly interfaceId: TemplateId
}

export interface InterfaceInstance<A extends DamlRecord = DamlRecord> {
  readonly interface: Interface
  /** Returns the interface's view of a contract with this argument. */
  view(argument: A): DamlRecord
}

export function defineInterface(name: string, of: Package): Interface {
  return { name, package: of, interfaceId: `${of.id}:${name}` }
}
