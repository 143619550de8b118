/** A template as `POST /v1/state/acs` takes it: the package's name, the module and the entity. */
export const ansEntryTemplate = 'splice-amulet-name-service:Splice.Ans:AnsEntry'
export const dsoRulesTemplate = 'splice-dso-governance:Splice.DsoRules:DsoRules'

/** The templates that the mirror asks for, in order. */
export const mirroredTemplates: readonly string[] = [
  ansEntryTemplate,
  'splice-amulet-name-service:Splice.Ans:AnsRules',
  dsoRulesTemplate,
]

/** Returns the template of a contract as `package-name:Module:Entity`, without the hash of its package. */
export function templateOf(contract: {
  readonly template_id: string
  readonly package_name: string
}): string {
  const { template_id: id, package_name: packageName } = contract
  return `${packageName}:${id.slice(id.indexOf(':') + 1)}`
}
