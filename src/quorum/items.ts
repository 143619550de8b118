import { type Electorate, meets } from './electorate.ts'
import type { Item, Step } from './reply.ts'
import type { Heard } from './tally.ts'

/** An item that enough voters listed in the same version. */
export interface AgreedItem {
  readonly key: string
  readonly vote: string
  readonly voters: readonly number[]
}

export type ItemsOutcome =
  | { readonly kind: 'agreed'; readonly items: readonly AgreedItem[] }
  /** More replies are needed: an item that every honest voter may hold can still reach the threshold. */
  | { readonly kind: 'wait' }
  /** No item reached the threshold. Lists that are all empty are equal, and so agreed as a whole. */
  | { readonly kind: 'none' }

interface Version extends Item {
  readonly voters: readonly number[]
}

/** The versions of each item, by key. */
export type Versions = ReadonlyMap<string, readonly Version[]>

/**
 * Agrees on unordered lists item by item (quorum.md#lists-item-by-item). Each key gets one item: if two
 * versions reach the threshold, the one with the later `later`. An item that all honest voters hold is in at
 * least (heard - f) lists. The function waits for such an item while it can still win. It drops any other
 * item, so that with the threshold f+1 no late voter delays the read.
 *
 * @param undecided voters that may still answer.
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

/** Whether some item would win if all of `joining` listed it too. */
export function itemCanWin(electorate: Electorate, versions: Versions, joining: readonly number[]): boolean {
  return versions.values().some((rivals) => rivals.some(({ voters }) => meets(electorate, voters, joining)))
}

function beats(a: Version, b: Version): boolean {
  if (a.later !== b.later) return a.later > b.later
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  return a.vote < b.vote
}

/** Groups the items of all lists by key and version. If a voter lists one version twice, it counts once. */
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

/** The histories of all these voters have the same first `length` elements. */
export interface Prefix {
  readonly length: number
  readonly voters: readonly number[]
}

/**
 * Finds the longest beginning that the histories of a threshold share. It is never cut between elements of
 * one moment (quorum.md#the-beginning-of-a-history). A history that ends earlier does not support the
 * elements after its own end.
 *
 * @param histories by voter; undefined if a voter sent none.
 * @returns the number of agreed elements, and the voters whose histories begin with them.
 */
export function longestPrefix(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
): Prefix {
  const givers = histories.flatMap((history, voter) => (history === undefined ? [] : [voter]))
  let longest: Prefix = { length: 0, voters: givers }
  const carried = [longest]
  for (let prefix = carried.pop(); prefix !== undefined; prefix = carried.pop()) {
    if (isLonger(prefix, longest, histories) && endsMoment(histories, prefix)) longest = prefix
    carried.push(...continued(electorate, histories, prefix))
  }
  return longest
}

/**
 * Compares by length, then by number of voters, then by the text of the elements, so that voter indexes do
 * not matter.
 */
function isLonger(a: Prefix, b: Prefix, histories: readonly (readonly Step[] | undefined)[]): boolean {
  if (a.length !== b.length) return a.length > b.length
  if (a.voters.length !== b.voters.length) return a.voters.length > b.voters.length
  const textOf = ({ length, voters: [voter = 0] }: Prefix) =>
    (histories[voter] ?? []).slice(0, length).map(stepId).join()
  return textOf(a) < textOf(b)
}

/**
 * Returns the prefixes with one more element that a threshold still shares. Only a threshold of at most half
 * the voters allows more than one.
 */
function continued(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
  { length, voters }: Prefix,
): Prefix[] {
  const groups = new Map<string, number[]>()
  for (const voter of voters) {
    const step = histories[voter]?.[length]
    if (step === undefined) continue
    const id = stepId(step)
    const group = groups.get(id)
    if (group === undefined) groups.set(id, [voter])
    else group.push(voter)
  }
  return [...groups.values()]
    .filter((group) => meets(electorate, group))
    .map((group) => ({ length: length + 1, voters: group }))
}

/**
 * Whether the last element is known to end its moment: in every history the next element has another moment
 * or is missing.
 */
function endsMoment(
  histories: readonly (readonly Step[] | undefined)[],
  { length, voters }: Prefix,
): boolean {
  const moment = histories[voters[0] as number]?.[length - 1]?.moment
  return voters.every((voter) => histories[voter]?.[length]?.moment !== moment)
}

/** Whether the beginning of some history would win if all of `joining` sent it too. */
export function prefixCanWin(
  electorate: Electorate,
  histories: readonly (readonly Step[] | undefined)[],
  joining: readonly number[],
): boolean {
  const first = new Map<string, number[]>()
  histories.forEach((history, voter) => {
    const step = history?.[0]
    if (step === undefined) return
    const id = stepId(step)
    const group = first.get(id)
    if (group === undefined) first.set(id, [voter])
    else group.push(voter)
  })
  return first.values().some((group) => meets(electorate, group, joining))
}

function stepId({ moment, vote }: Step): string {
  return `${moment.length} ${moment} ${vote}`
}
