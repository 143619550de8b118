import type { Party } from '../value.ts'

/** In order, each once. */
export function partySet(...groups: readonly (readonly Party[])[]): readonly Party[] {
  return [...new Set(groups.flat())].sort()
}

export function covers(authority: readonly Party[], needed: readonly Party[]): boolean {
  return needed.every((party) => authority.includes(party))
}

export function meet(a: readonly Party[], b: readonly Party[]): boolean {
  return a.some((party) => b.includes(party))
}
