import type { Electorate, Group, Voter } from './electorate.ts'
import { type AgreedItem, versionsOf } from './items.ts'
import type { Item, Step } from './reply.ts'
import { counts, type Heard, type Vote } from './tally.ts'
import type { Verdict } from './verdict.ts'

/** A group of voters that gave the same reply. */
export interface Testimony {
  readonly kind: 'value' | 'refusal' | 'abstention' | 'fault'
  /**
   * The content of the reply: the vote of a value or refusal, the reason of an abstention, or the name of a fault.
   */
  readonly what: string
  /** The names of the super validators of these voters. */
  readonly who: readonly string[]
}

/** Groups the voters by the content of their replies. A voter without a reply is in no group. */
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
 * Returns the voters whose votes contradict an agreed verdict. Empty if nothing was agreed. The following
 * votes contradict the verdict:
 * - If a whole value or a refusal was agreed: every other vote.
 * - If items of a list were agreed: every refusal, and every list with an item, or a version of an item, that
 *   was not agreed. A list that omits an agreed item contradicts only if it is shorter than a full page.
 * - If the beginning of a history was agreed: every refusal, and every history with another element in that
 *   beginning. A history that only ends earlier does not contradict.
 *
 * @param fullPage the number of items that fill a page of the list.
 */
export function dissenters(verdict: Verdict, heard: Heard, fullPage = Number.POSITIVE_INFINITY): Group {
  if (verdict.kind !== 'agreed') return []
  // Dissenters are found by their votes. It would be wrong to take all voters that are not in
  // `verdict.members`, because it lacks the voters whose equal votes arrived after the verdict.
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

/**
 * Whether a voter's history and the agreed history are equal up to the end of the shorter one. False if no
 * history was agreed, or if the voter gave no value.
 */
export function fitsHistory(verdict: Verdict, heard: Heard, voter: number): boolean {
  const agreed = agreedSteps(verdict, heard)
  return (
    agreed.length > 0 &&
    heard[voter]?.kind === 'value' &&
    departure(agreed, stepsOf(heard[voter])) === undefined
  )
}

/**
 * Returns `voter` and the voters whose votes support the vote of `voter`. Empty if `voter` gave no vote. An
 * equal vote supports it. So does another history that first differs from the agreed history at the same
 * position, and has the same element there.
 */
export function companions(verdict: Verdict, heard: Heard, voter: number): Group {
  const said = heard[voter]
  if (!counts(said)) return []
  const steps = stepsOf(said)
  const departed = departure(agreedSteps(verdict, heard), steps)
  const upTo = departed === undefined ? [] : steps.slice(0, departed + 1)
  return votersWhose(heard, (vote) => {
    if (vote.kind !== said.kind) return false
    return vote.vote === said.vote || (upTo.length > 0 && beginsWith(stepsOf(vote), upTo))
  })
}

/**
 * Returns how many voters gave the agreed part of an answer:
 * - If the beginning of a history was agreed: the number of voters whose histories have this beginning.
 * - If items of a list were agreed: each of these items was listed by some number of voters. The smallest of
 *   these numbers is returned.
 *
 * Undefined if the whole answer or nothing was agreed.
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

/** Returns the elements of the agreed history, or of its agreed beginning. Empty if no history was agreed. */
function agreedSteps(verdict: Verdict, heard: Heard): readonly Step[] {
  if (verdict.kind !== 'agreed') return []
  const steps = stepsOf(heard[verdict.members[0] as number])
  return verdict.on === 'history' ? steps.slice(0, verdict.length) : steps
}

/**
 * Returns the index of the first element of `steps` that differs from the element of `agreed` at the same
 * index. Undefined if no element differs.
 */
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
    if (counts(reply) && test(reply)) voters.push(voter)
  }
  return voters
}

function says(reply: Vote, { on, vote }: Extract<Verdict, { on: 'value' | 'refusal' }>): boolean {
  return reply.kind === on && reply.vote === vote
}

function idOf(item: Pick<Item, 'key' | 'vote'>): string {
  return `${item.key.length} ${item.key} ${item.vote}`
}
