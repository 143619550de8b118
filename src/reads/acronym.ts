/**
 * Returns the acronym of the name service in lower case, such as `cns`. Names end with it.
 * @param names the agreed value of `getSpliceInstanceNames`.
 */
export function acronymIn(names: unknown): string {
  const { name_service_name_acronym: acronym } = names as { readonly name_service_name_acronym: string }
  return acronym.toLowerCase()
}
