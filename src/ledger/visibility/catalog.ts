import type { Package } from '../daml/packages.ts'
import type { Interface, InterfaceInstance, Template } from '../daml/template.ts'
import type { Contract } from '../update.ts'
import type { TypeReference } from './format.ts'

/** A template or an interface in all versions of its package: `package-name:Module.Path:Entity`. */
type VersionlessName = string

export interface Implementation {
  readonly instance: InterfaceInstance
  readonly packageId: string
}

/**
 * The packages, templates and interfaces that a ledger knows. The ledger rejects filters that refer
 * to unknown ones.
 */
export interface Catalog {
  readonly packageNames: ReadonlyMap<string, string>
  readonly templates: ReadonlySet<VersionlessName>
  readonly interfaces: ReadonlyMap<VersionlessName, ReadonlyMap<VersionlessName, Implementation>>
}

export interface Known {
  readonly templates: Iterable<Template>
  readonly interfaces: Iterable<Interface>
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

export function resolve(
  { packageNames }: Catalog,
  { package: { by, value }, entity }: TypeReference,
): VersionlessName | undefined {
  const name = by === 'name' ? value : packageNames.get(value)
  return name === undefined ? undefined : `${name}:${entity}`
}

export function templateOf({
  packageName,
  templateId,
}: Pick<Contract, 'packageName' | 'templateId'>): VersionlessName {
  return `${packageName}${templateId.slice(templateId.indexOf(':'))}`
}

function nameOf({ package: { name }, name: entity }: Template | Interface): VersionlessName {
  return `${name}:${entity}`
}
