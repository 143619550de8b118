/**
 * Returns the seconds in the header `age`: 0 if it is absent, undefined if it is malformed. Each
 * HTTP cache on the way may have added its own value; the greatest counts.
 */
export function ageIn(header: string | null): number | undefined {
  if (header === null) return 0
  const ages = header.split(',').map((age) => age.trim())
  return ages.every((age) => /^\d{1,10}$/.test(age)) ? Math.max(...ages.map(Number)) : undefined
}
