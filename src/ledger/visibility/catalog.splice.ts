import { foundingNameServicePackage } from '../daml/packages.ts'
import { templates } from '../daml/splice/templates.ts'
import { interfaces } from '../daml/splice/token-standard.ts'
import { type Catalog, catalogOf } from './catalog.ts'

/** The catalog of Splice's templates, and of the interfaces of the token standard. */
export const spliceCatalog: Catalog = catalogOf({
  templates: [...templates.values()].map(({ template }) => template),
  interfaces,
  packages: [foundingNameServicePackage],
})
