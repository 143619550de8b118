import type { DamlRecord, TemplateId } from '../value.ts'
import type { Package } from './packages.ts'

/** What templates can have in common: a view of their contracts. */
export interface Interface {
  /** `Module.Path:Entity` */
  readonly name: string
  readonly package: Package
  readonly interfaceId: TemplateId
}

/** That a template implements an interface. */
export interface InterfaceInstance<A extends DamlRecord = DamlRecord> {
  readonly interface: Interface
  /** What the interface shows of a contract. */
  view(argument: A): DamlRecord
}

export function defineInterface(name: string, of: Package): Interface {
  return { name, package: of, interfaceId: `${of.id}:${name}` }
}
