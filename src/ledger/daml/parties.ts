import type { Party } from '../value.ts'

/** More than these are looked up in a set; fewer are found sooner one by one. */
const few = 8

/** In order, each once. */
export function partySet(...groups: readonly (readonly Party[])[]): readonly Party[] {
  const parties: Party[] = []
  for (const group of groups)
    for (const party of group) {
      if (parties.length >= few) return [...new Set(groups.flat())].sort()
      if (!parties.includes(party)) parties.push(party)
    }
  return parties.length > 1 ? parties.sort() : parties
}

export function covers(authority: readonly Party[], needed: readonly Party[]): boolean {
  return needed.every((party) => authority.includes(party))
}

export function meet(a: readonly Party[], b: readonly Party[]): boolean {
  return a.some((party) => b.includes(party))
}
