import { templates } from '../daml/splice/templates.ts'
import type { Template } from '../daml/template.ts'
import type { Party } from '../value.ts'

export function templateNamed(name: string): Template {
  const known = templates.get(name)
  if (known === undefined) throw new TypeError(`no template ${name} is known`)
  return known
}

/** Returns a reference to all versions of a template: `#package-name:Module.Path:Entity`. */
export function qualified({ package: of, name }: Template): string {
  return `#${of.name}:${name}`
}

/**
 * Writes every field, because older participants require fields that later ones do not.
 * @param template the only template that is selected; all by default.
 */
export function eventsJson(parties: readonly Party[], template?: Template): object {
  const identifierFilter = template && {
    TemplateFilter: { value: { templateId: qualified(template), includeCreatedEventBlob: false } },
  }
  const filters = { cumulative: identifierFilter ? [{ identifierFilter }] : [] }
  return {
    filtersByParty: Object.fromEntries(parties.map((party) => [party, filters])),
    filtersForAnyParty: null,
    verbose: false,
  }
}
