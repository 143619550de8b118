import type { Contract } from '../update.ts'
import type { ContractId, DamlRecord, DamlValue, Micros, Party, TemplateId } from '../value.ts'
import type { Package } from './packages.ts'
import { type DamlType, unit } from './type.ts'

/** A contract of a known template. */
export type ContractOf<A extends DamlRecord> = Contract & { readonly argument: A }

/** A Daml template: the argument's type, its signatories and observers, and its precondition. */
export interface Template<A extends DamlRecord = DamlRecord> {
  /** `Module.Path:Entity` */
  readonly name: string
  readonly package: Package
  /** Of contracts that are created now. */
  readonly templateId: TemplateId
  readonly argument: DamlType<A>
  signatories(argument: A): readonly Party[]
  observers(argument: A): readonly Party[]
  ensure(argument: A): boolean
  /**
   * What contracts can be looked up by: a name for `where`, and the path of a text in the argument. A reader of
   * contracts keeps an index for each.
   */
  readonly indexed: Readonly<Record<string, readonly string[]>>
  /** The member of the argument that holds the time at which the contract is due. */
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
  /** Archives the contract before the body runs. */
  readonly consuming: boolean
  readonly argument: DamlType<C>
  controllers(contract: ContractOf<A>, argument: C): readonly Party[]
  /** The body, with the authority of the contract's signatories and the controllers. Ends by `Refused` or a result. */
  run(scope: Scope, contract: ContractOf<A>, argument: C): R
}

/** The actions of a choice's body: Daml's `Update`. */
export interface Scope {
  /** Ledger effective time of the transaction. */
  readonly now: Micros
  create<A extends DamlRecord>(template: Template<A>, argument: A): ContractId
  exercise<A extends DamlRecord, C extends DamlRecord, R extends DamlValue>(
    choice: Choice<A, C, R>,
    contractId: ContractId,
    argument: C,
  ): R
  /** Needs the authority of a stakeholder. */
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

/** The templates here have no observers. */
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

/** The choice that every template has. */
export function archiving<A extends DamlRecord>(template: Template<A>): Choice<A> {
  return consuming(template, 'Archive', {
    argument: unit,
    controllers: ({ signatories }) => signatories,
    run: () => ({}),
  })
}

/** A template and everything that can be done with its contracts, `Archive` included. */
export interface TemplateDefinition {
  readonly template: Template
  readonly choices: ReadonlyMap<string, Choice>
}

/** By `Module.Path:Entity`. */
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

/** An interface gives contracts of several templates one common view. */
export interface Interface {
  /** `Module.Path:Entity` */
  readonly name: string
  readonly package: Package
  readonly interfaceId: TemplateId
}

/** That a template implements an interface. */
export interface InterfaceInstance<A extends DamlRecord = DamlRecord> {
  readonly interface: Interface
  /** The interface's view of a contract. */
  view(argument: A): DamlRecord
}

export function defineInterface(name: string, of: Package): Interface {
  return { name, package: of, interfaceId: `${of.id}:${name}` }
}
