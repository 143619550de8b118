const collator = new Intl.Collator('en', { numeric: true })

/** Compares names in their natural order, which has `sv-2` before `sv-10`. */
export function byName(a: string, b: string): number {
  return collator.compare(a, b) || (a < b ? -1 : Number(a > b))
}
