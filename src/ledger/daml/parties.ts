import type { Party } from '../value.ts'

/** In order, each once. */
export function partySet(...groups: readonly (readonly Party[])[]): readonly Party[] {
  const set = new Set<Party>()
  for (const group of groups) for (const party of group) set.add(party)
  return set.size > 1 ? [...set].sort() : [...set]
}

export function covers(authority: readonly Party[], needed: readonly Party[]): boolean {
  return needed.every((party) => authority.includes(party))
}

export function meet(a: readonly Party[], b: readonly Party[]): boolean {
  return a.some((party) => b.includes(party))
}
