import type { Package } from '../daml/packages.ts'
import type { Interface, InterfaceInstance, Template } from '../daml/template.ts'
import type { Contract } from '../update.ts'
import type { TypeReference } from './format.ts'

/**
 * The name of a template or an interface, which is the same in all versions of its package:
 * `package-name:Module.Path:Entity`.
 */
type VersionlessName = string

/** A template's implementation of an interface. */
export interface Implementation {
  readonly instance: InterfaceInstance
  /** The package of the template. */
  readonly packageId: string
}

/**
 * The packages, templates and interfaces that a ledger knows. The ledger rejects a filter that refers to an
 * unknown one.
 */
export interface Catalog {
  /** The names of packages, by package id. */
  readonly packageNames: ReadonlyMap<string, string>
  readonly templates: ReadonlySet<VersionlessName>
  /** All implementations, by interface and then by template. */
  readonly interfaces: ReadonlyMap<VersionlessName, ReadonlyMap<VersionlessName, Implementation>>
}

export interface Known {
  readonly templates: Iterable<Template>
  readonly interfaces: Iterable<Interface>
  /** More packages that the ledger knows. The packages of `templates` and `interfaces` need not be listed. */
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

/**
 * Returns the name of the template or interface to which a filter refers. Undefined if the filter has an
 * unknown package id.
 */
export function resolve(
  { packageNames }: Catalog,
  { package: { by, value }, entity }: TypeReference,
): VersionlessName | undefined {
  const name = by === 'name' ? value : packageNames.get(value)
  return name === undefined ? undefined : `${name}:${entity}`
}

/** Returns the name of a contract's template, without the package version. */
export function templateOf({
  packageName,
  templateId,
}: Pick<Contract, 'packageName' | 'templateId'>): VersionlessName {
  return `${packageName}${templateId.slice(templateId.indexOf(':'))}`
}

function nameOf({ package: { name }, name: entity }: Template | Interface): VersionlessName {
  return `${name}:${entity}`
}
