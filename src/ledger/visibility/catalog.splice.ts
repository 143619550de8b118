import { foundingNameServicePackage } from '../daml/packages.ts'
import { templates } from '../daml/splice/templates.ts'
import { interfaces } from '../daml/splice/token-standard.ts'
import { type Catalog, catalogOf } from './catalog.ts'

export const spliceCatalog: Catalog = catalogOf({
  templates: [...templates.values()].map(({ template }) => template),
  interfaces,
  packages: [foundingNameServicePackage],
})
