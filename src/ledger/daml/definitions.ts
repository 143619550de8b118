import { archiving, type Choice, type Template } from './template.ts'

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
