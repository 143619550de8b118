import type { Electorate } from './electorate.ts'
import type { Item } from './reply.ts'
import { type Heard, meetThreshold } from './tally.ts'

export interface AgreedItem {
  readonly key: string
  readonly vote: string
  readonly voters: readonly number[]
}

export type ItemsOutcome =
  | { readonly kind: 'agreed'; readonly items: readonly AgreedItem[] }
  | { readonly kind: 'wait' }
  /**
   * No item reached the threshold. Empty lists never have this outcome, because equal lists are
   * agreed as whole values.
   */
  | { readonly kind: 'none' }

interface ItemVersion extends Item {
  readonly voters: readonly number[]
}

export type Versions = ReadonlyMap<string, readonly ItemVersion[]>

/**
 * Agrees on unordered lists item by item (quorum.md#lists-item-by-item). If two versions of an item
 * reach the threshold, the one with the larger `later` is agreed.
 * An item below the threshold delays the verdict only if the undecided voters can still bring it to
 * the threshold, and all honest voters may have listed it. If h voters have replied, an item that
 * all honest voters listed is in at least h - f lists.
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
    let chosen: ItemVersion | undefined
    for (const version of rivals) {
      if (meetThreshold(electorate, version.voters)) {
        if (chosen === undefined || beats(version, chosen)) chosen = version
      } else if (
        version.voters.length >= everyHonest &&
        meetThreshold(electorate, version.voters, undecided)
      ) {
        return { kind: 'wait' }
      }
    }
    if (chosen !== undefined) items.push({ key, vote: chosen.vote, voters: chosen.voters })
  }
  if (items.length === 0) return { kind: 'none' }
  return { kind: 'agreed', items: items.sort((a, b) => (a.key < b.key ? -1 : 1)) }
}

export function itemCanWin(electorate: Electorate, versions: Versions, joining: readonly number[]): boolean {
  return versions
    .values()
    .some((rivals) => rivals.some(({ voters }) => meetThreshold(electorate, voters, joining)))
}

function beats(a: ItemVersion, b: ItemVersion): boolean {
  if (a.later !== b.later) return a.later > b.later
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  return a.vote < b.vote
}

export function versionsOf(heard: Heard): Versions {
  const versions = new Map<string, (ItemVersion & { readonly voters: number[] })[]>()
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
