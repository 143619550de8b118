import type { Electorate } from './electorate.ts'
import type { Item } from './reply.ts'
import type { Heard } from './tally.ts'
import { meets } from './threshold-met.ts'

/** An item of which enough voters listed the same version. */
export interface AgreedItem {
  readonly key: string
  readonly vote: string
  readonly voters: readonly number[]
}

export type ItemsOutcome =
  | { readonly kind: 'agreed'; readonly items: readonly AgreedItem[] }
  /** More replies are needed, because an item below the threshold may still reach it (`agreeOnItems`). */
  | { readonly kind: 'wait' }
  /**
   * No item reached the threshold. Empty lists never lead to this outcome: they are equal, so another rule
   * has already agreed on them as whole values.
   */
  | { readonly kind: 'none' }

interface Version extends Item {
  readonly voters: readonly number[]
}

/** The different versions of each item that voters listed, by the item's key. */
export type Versions = ReadonlyMap<string, readonly Version[]>

/**
 * Agrees on unordered lists item by item (quorum.md#lists-item-by-item). At most one version of each item is
 * agreed. If two versions of an item reach the threshold, the version with the larger `later` is agreed.
 *
 * The function waits for more replies only because of an item below the threshold that meets two conditions.
 * It can still reach the threshold, and it may be in the lists of all honest voters. If h voters have replied
 * or failed, such an item is in at least h - f lists. An item in fewer lists is dropped. With the threshold
 * f+1, late voters hardly ever delay the read, because an item in h - f lists has usually reached f+1
 * already.
 *
 * @param undecided voters that may still reply.
 */
export function agreeOnItems(
  electorate: Electorate,
  versions: Versions,
  undecided: readonly number[],
): ItemsOutcome {
  const everyHonest = electorate.voters.length - undecided.length - electorate.superValidators.f
  const items: AgreedItem[] = []
  for (const [key, rivals] of versions) {
    let chosen: Version | undefined
    for (const version of rivals) {
      if (meets(electorate, version.voters)) {
        if (chosen === undefined || beats(version, chosen)) chosen = version
      } else if (version.voters.length >= everyHonest && meets(electorate, version.voters, undecided)) {
        return { kind: 'wait' }
      }
    }
    if (chosen !== undefined) items.push({ key, vote: chosen.vote, voters: chosen.voters })
  }
  if (items.length === 0) return { kind: 'none' }
  return { kind: 'agreed', items: items.sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

/** Whether some item could reach the threshold if all voters in `joining` listed it too. */
export function itemCanWin(electorate: Electorate, versions: Versions, joining: readonly number[]): boolean {
  return versions.values().some((rivals) => rivals.some(({ voters }) => meets(electorate, voters, joining)))
}

function beats(a: Version, b: Version): boolean {
  if (a.later !== b.later) return a.later > b.later
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  return a.vote < b.vote
}

/** Groups the items of all lists by key and then by content. A voter that lists an item twice counts once. */
export function versionsOf(heard: Heard): Versions {
  const versions = new Map<string, (Version & { readonly voters: number[] })[]>()
  heard.forEach((reply, voter) => {
    if (reply?.kind !== 'value' || reply.items === undefined) return
    for (const item of reply.items) {
      const rivals = versions.get(item.key) ?? []
      if (rivals.length === 0) versions.set(item.key, rivals)
      const version = rivals.find(({ vote }) => vote === item.vote)
      if (version === undefined) rivals.push({ ...item, voters: [voter] })
      else if (version.voters.at(-1) !== voter) version.voters.push(voter)
    }
  })
  return versions
}
