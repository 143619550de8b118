import { foundingNameServicePackage, interfaces } from '../daml/packages.ts'
import { templates } from '../daml/splice/templates.ts'

/** A template or an interface in all versions of its package: `#package-name:Module.Path:Entity`. */
export type TypeName = string

const known = [...templates.values()]
const packages = [foundingNameServicePackage, ...[...known, ...interfaces].map((one) => one.package)]

export const packageIds: readonly string[] = [...new Set(packages.map(({ id }) => id))]
export const packageNames: ReadonlySet<string> = new Set(packages.map(({ name }) => name))
export const templateNames: ReadonlySet<TypeName> = new Set(known.map(nameOf))
export const interfaceNames: ReadonlySet<TypeName> = new Set(interfaces.map(nameOf))

function nameOf({ package: of, name }: (typeof known)[number] | (typeof interfaces)[number]): TypeName {
  return `#${of.name}:${name}`
}
