export function acronymIn(names: unknown): string {
  const { name_service_name_acronym: acronym } = names as { readonly name_service_name_acronym: string }
  return acronym.toLowerCase()
}
