/**
 * The template of entries as `package-name:Module:Entity`. Requests of `POST /v1/state/acs` use this form.
 */
export const ansEntryTemplate = 'splice-amulet-name-service:Splice.Ans:AnsEntry'
export const dsoRulesTemplate = 'splice-dso-governance:Splice.DsoRules:DsoRules'

/** The templates whose contracts a drain asks for, in the order of the request. */
export const mirroredTemplates: readonly string[] = [
  ansEntryTemplate,
  'splice-amulet-name-service:Splice.Ans:AnsRules',
  dsoRulesTemplate,
]

/**
 * Returns the template of a contract as `package-name:Module:Entity`. The contract's `template_id` begins
 * with the hash of the package instead of the package name.
 */
export function templateOf(contract: {
  readonly template_id: string
  readonly package_name: string
}): string {
  const { template_id: id, package_name: packageName } = contract
  return `${packageName}:${id.slice(id.indexOf(':') + 1)}`
}
