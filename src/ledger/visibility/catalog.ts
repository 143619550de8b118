import type { Package } from '../daml/packages.ts'
import type { Interface, InterfaceInstance, Template } from '../daml/template.ts'
import type { Contract } from '../update.ts'
import type { TypeReference } from './format.ts'

/** The name of a template or an interface in all versions of its package: `package-name:Module.Path:Entity`. */
type VersionlessName = string

/** The implementation of an interface by a template. */
export interface Implementation {
  readonly instance: InterfaceInstance
  /** The package of the template. */
  readonly packageId: string
}

/** The packages, templates and interfaces that a ledger knows and that filters can refer to. */
export interface Catalog {
  /** The names of packages, by package id. */
  readonly packageNames: ReadonlyMap<string, string>
  readonly templates: ReadonlySet<VersionlessName>
  /** The implementations of each interface, by interface and then by template. */
  readonly interfaces: ReadonlyMap<VersionlessName, ReadonlyMap<VersionlessName, Implementation>>
}

export interface Known {
  readonly templates: Iterable<Template>
  readonly interfaces: Iterable<Interface>
  /** Further versions of the packages of these templates and interfaces. The ledger knows them too. */
  readonly packages: Iterable<Package>
}

export function catalogOf(known: Known): Catalog {
  const templates = [...known.templates]
  const interfaces = [...known.interfaces]
  const packages = [...templates, ...interfaces].map((one) => one.package)
  const implementations = (of: Interface) =>
    templates.flatMap((template) =>
      template.interfaces
        .filter((instance) => instance.interface.interfaceId === of.interfaceId)
        .map((instance) => [nameOf(template), { instance, packageId: template.package.id }] as const),
    )
  return {
    packageNames: new Map([...known.packages, ...packages].map(({ id, name }) => [id, name])),
    templates: new Set(templates.map(nameOf)),
    interfaces: new Map(interfaces.map((one) => [nameOf(one), new Map(implementations(one))])),
  }
}

/** Returns the name that a filter's reference stands for. Undefined if its package id is unknown. */
export function resolve(
  { packageNames }: Catalog,
  { package: { by, value }, entity }: TypeReference,
): VersionlessName | undefined {
  const name = by === 'name' ? value : packageNames.get(value)
  return name === undefined ? undefined : `${name}:${entity}`
}

/** Returns the name of a contract's template. */
export function templateOf({
  packageName,
  templateId,
}: Pick<Contract, 'packageName' | 'templateId'>): VersionlessName {
  return `${packageName}${templateId.slice(templateId.indexOf(':'))}`
}

function nameOf({ package: { name }, name: entity }: Template | Interface): VersionlessName {
  return `${name}:${entity}`
}
