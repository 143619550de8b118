/**
 * The template of entries. Like all templates here, it has the form `package-name:Module:Entity` of
 * requests of `POST /v2/state/acs`.
 */
export const ansEntryTemplate = 'splice-amulet-name-service:Splice.Ans:AnsEntry'
export const dsoRulesTemplate = 'splice-dso-governance:Splice.DsoRules:DsoRules'

export const mirroredTemplates: readonly string[] = [ansEntryTemplate, dsoRulesTemplate]

/**
 * Replaces the package hash at the beginning of a contract's `template_id` with the package name.
 */
export function templateOf(contract: {
  readonly template_id: string
  readonly package_name: string
}): string {
  const { template_id: id, package_name: packageName } = contract
  return `${packageName}:${id.slice(id.indexOf(':') + 1)}`
}
