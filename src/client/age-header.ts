/**
 * Parses the header `age`: the seconds since the quorum agreed. Caches on the way may each have added a value; the
 * greatest one counts. 0 if the header is absent, and undefined if it is malformed.
 */
export function ageIn(header: string | null): number | undefined {
  if (header === null) return 0
  const ages = header.split(',').map((age) => age.trim())
  return ages.every((age) => /^\d{1,10}$/.test(age)) ? Math.max(...ages.map(Number)) : undefined
}
