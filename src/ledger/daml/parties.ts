import type { Party } from '../value.ts'

/** The syntax of a party id in Daml (`Ref.Party`). */
const partyText = /^[a-zA-Z0-9:\-_ ]{1,255}$/
/** Up to this number of parties, a search through a list is faster than a `Set`. */
const few = 8

export function isParty(text: string): boolean {
  return partyText.test(text)
}

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
