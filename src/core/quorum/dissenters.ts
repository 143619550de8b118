import type { Electorate, Group, Voter } from './electorate.ts'
import { type AgreedItem, versionsOf } from './items.ts'
import type { Item, Step } from './reply.ts'
import { type Heard, isVote, type Vote } from './tally.ts'
import type { Verdict } from './verdict.ts'

export interface Testimony {
  readonly kind: 'value' | 'refusal' | 'abstention' | 'fault'
  /**
   * The content of the reply: the vote of a value or refusal, the reason of an abstention, or the
   * name of a fault.
   */
  readonly what: string
  readonly who: readonly string[]
}

export function testimonies(electorate: Electorate, heard: Heard): readonly Testimony[] {
  const groups = new Map<string, { kind: Testimony['kind']; what: string; who: string[] }>()
  heard.forEach((reply, voter) => {
    if (reply === undefined) return
    const what =
      reply.kind === 'fault' ? reply.fault : reply.kind === 'abstention' ? reply.reason : reply.vote
    const key = `${reply.kind} ${what}`
    const { names } = electorate.voters[voter] as Voter
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { kind: reply.kind, what, who: [...names] })
    else group.who.push(...names)
  })
  return [...groups.values()]
}

/**
 * Returns the voters whose votes contradict an agreed verdict:
 * - A whole value or a refusal was agreed: every other vote contradicts it.
 * - Items of a list were agreed: a refusal, or a list with any item that was not agreed,
 *   contradicts them. A list that omits an agreed item contradicts only if the list is shorter than
 *   a full page.
 * - The beginning of a history was agreed: a refusal, or another element in that beginning,
 *   contradicts it. A history that only ends earlier does not.
 * @param fullPage the number of items that fill a page of the list.
 */
export function dissenters(verdict: Verdict, heard: Heard, fullPage = Number.POSITIVE_INFINITY): Group {
  if (verdict.kind !== 'agreed') return []
  // `verdict.members` cannot serve here: it lacks the voters whose equal votes arrived after the
  // verdict.
  if (verdict.on === 'history') return dissentersFromHistory(verdict, heard)
  if (verdict.on !== 'items') return votersWhose(heard, (vote) => !says(vote, verdict))
  const agreed = new Set(verdict.items.map(idOf))
  return votersWhose(heard, (vote) => {
    if (vote.kind !== 'value') return true
    const items = vote.items ?? []
    if (items.some((item) => !agreed.has(idOf(item)))) return true
    return items.length < Math.min(agreed.size, fullPage)
  })
}

function dissentersFromHistory(verdict: Extract<Verdict, { on: 'history' }>, heard: Heard): Group {
  const agreed = agreedSteps(verdict, heard)
  return votersWhose(heard, (vote) => vote.kind !== 'value' || departure(agreed, stepsOf(vote)) !== undefined)
}

export function fitsHistory(verdict: Verdict, heard: Heard, voter: number): boolean {
  const agreed = agreedSteps(verdict, heard)
  return (
    agreed.length > 0 &&
    heard[voter]?.kind === 'value' &&
    departure(agreed, stepsOf(heard[voter])) === undefined
  )
}

/**
 * Returns the voters whose votes support the vote of `voter`, including `voter`. An equal vote
 * supports it. If both votes are histories, it is enough that they first differ from the agreed
 * history at the same position, with the same element.
 */
export function companions(verdict: Verdict, heard: Heard, voter: number): Group {
  const said = heard[voter]
  if (!isVote(said)) return []
  const steps = stepsOf(said)
  const departed = departure(agreedSteps(verdict, heard), steps)
  const upTo = departed === undefined ? [] : steps.slice(0, departed + 1)
  return votersWhose(heard, (vote) => {
    if (vote.kind !== said.kind) return false
    return vote.vote === said.vote || (upTo.length > 0 && beginsWith(stepsOf(vote), upTo))
  })
}

/**
 * Returns how many voters gave the agreed part of an answer. For a history, these are the voters
 * that sent the agreed beginning; for items, those that listed the agreed item with the fewest
 * votes. Returns undefined if the voters agreed on a whole answer or on nothing.
 */
export function partVotesOf(verdict: Verdict, heard: Heard): number | undefined {
  if (verdict.kind !== 'agreed') return undefined
  if (verdict.on === 'history') {
    const agreed = agreedSteps(verdict, heard)
    return votersWhose(heard, (vote) => beginsWith(stepsOf(vote), agreed)).length
  }
  if (verdict.on !== 'items') return undefined
  const versions = versionsOf(heard)
  const votesFor = ({ key, vote }: AgreedItem) =>
    versions.get(key)?.find((version) => version.vote === vote)?.voters.length ?? 0
  return Math.min(...verdict.items.map(votesFor))
}

function agreedSteps(verdict: Verdict, heard: Heard): readonly Step[] {
  if (verdict.kind !== 'agreed') return []
  const steps = stepsOf(heard[verdict.members[0] as number])
  return verdict.on === 'history' ? steps.slice(0, verdict.length) : steps
}

function departure(agreed: readonly Step[], steps: readonly Step[]): number | undefined {
  const at = steps.findIndex((step, index) => index < agreed.length && !isSame(step, agreed[index] as Step))
  return at === -1 ? undefined : at
}

function beginsWith(steps: readonly Step[], first: readonly Step[]): boolean {
  return first.every((step, at) => at < steps.length && isSame(step, steps[at] as Step))
}

function stepsOf(reply: Heard[number]): readonly Step[] {
  return reply?.kind === 'value' ? (reply.steps ?? []) : []
}

function isSame(a: Step, b: Step): boolean {
  return a.vote === b.vote && a.moment === b.moment
}

function votersWhose(heard: Heard, test: (vote: Vote) => boolean): Group {
  const voters: number[] = []
  for (let voter = 0; voter < heard.length; voter++) {
    const reply = heard[voter]
    if (isVote(reply) && test(reply)) voters.push(voter)
  }
  return voters
}

function says(reply: Vote, { on, vote }: Extract<Verdict, { on: 'value' | 'refusal' }>): boolean {
  return reply.kind === on && reply.vote === vote
}

function idOf(item: Pick<Item, 'key' | 'vote'>): string {
  return `${item.key.length} ${item.key} ${item.vote}`
}
