export type TemplateValues = Readonly<Record<string, string | number>>

/**
 * Replaces each `{name}` in a template by the value of `name`. Placeholders inside the values stay.
 */
export function fillTemplate(template: string, values: TemplateValues): string {
  return template.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder))
}
