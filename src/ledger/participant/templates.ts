import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'

/** @param name `Module.Path:Entity` */
export function templateNamed(name: string): Template {
  const known = templates.get(name)
  if (known === undefined) throw new TypeError(`no template ${name} is known`)
  return known.template
}

/** In all versions of its package: `#package-name:Module.Path:Entity`. */
export function qualified(name: string): string {
  return `#${templateNamed(name).package.name}:${name}`
}
