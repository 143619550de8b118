/**
 * Parses the header `age`, the seconds since the quorum agreed. If HTTP caches between the daemon and this
 * client added values of their own, the greatest value counts. Returns 0 if the header is absent, and
 * undefined if it is malformed.
 */
export function ageIn(header: string | null): number | undefined {
  if (header === null) return 0
  const ages = header.split(',').map((age) => age.trim())
  return ages.every((age) => /^\d{1,10}$/.test(age)) ? Math.max(...ages.map(Number)) : undefined
}
