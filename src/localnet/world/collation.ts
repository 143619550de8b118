export type Collation = 'linguistic' | 'code-point'

/**
 * Compares names without `_`, `-` and `.`, as a database with the locale en_US.UTF-8 does first.
 * Names that are equal without these characters need a second comparison.
 */
const linguistic = new Intl.Collator('en-US', { ignorePunctuation: true })

export function byCodePoint(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export const comparisons: Readonly<Record<Collation, (a: string, b: string) => number>> = {
  linguistic: (a, b) => linguistic.compare(a, b) || byCodePoint(a, b),
  'code-point': byCodePoint,
}
