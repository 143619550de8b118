import type { Reply } from '../../../src/core/quorum/reply.ts'
import { decide } from '../../../src/core/quorum/rules.ts'
import type { Verdict } from '../../../src/core/quorum/verdict.ts'
import type { Setting } from './settings.ts'
import { type Event, planAfter, type State, type Step } from './walk.ts'

function answerOf(verdict: Verdict | undefined): string {
  if (verdict?.kind !== 'agreed') return verdict === undefined ? 'wait' : 'no answer'
  if (verdict.on === 'items') return verdict.items.map(({ key, vote }) => `${key}=${vote}`).join(' ')
  return `${verdict.on} ${verdict.vote} ${verdict.on === 'history' ? verdict.length : ''}`
}

/**
 * Checks that an abstention counts like a fault. With faults in place of the abstentions, the plan asks the same voters
 * and the answer is the same.
 */
export function checkAbstentions({ setting, before, after }: Step): void {
  const { alphabet } = setting
  const fault = alphabet.findIndex(({ kind }) => kind === 'fault')
  const isAbstention = (event: Event) =>
    typeof event === 'object' && 'says' in event && alphabet[event.says]?.kind === 'abstention'
  if (after.settled === undefined || before?.settled !== undefined || !after.path.some(isAbstention)) return
  const failing = after.path.map((event) =>
    typeof event === 'object' && isAbstention(event) ? { ...event, says: fault } : event,
  )
  const other = planAfter(setting, failing)
  const instead = `${answerOf(other.verdict)}, not asked: ${other.unasked}`
  const unasked = [...after.places.keys()].filter((voter) => after.places[voter] === 'unasked')
  const one = `${answerOf(after.settled.verdict)}, not asked: ${unasked}`
  if (one !== instead) throw new Error(`an abstention changed ${instead} into ${one}`)
}

export function checkCompletions({ setting, before, after }: Step): void {
  if (after.settled === undefined || before?.settled !== undefined || after.settled.expired) return
  const { electorate, policy } = setting
  const answer = answerOf(after.settled.verdict)
  for (const heard of completions(setting, after.heard)) {
    const complete = answerOf(decide(electorate, heard, policy))
    if (complete !== answer) throw new Error(`${answer} became ${complete}`)
  }
}

function* completions(
  { alphabet }: Setting,
  heard: State['heard'],
): Generator<readonly (Reply | undefined)[]> {
  const next = heard.indexOf(undefined)
  if (next === -1) return yield heard
  for (const reply of alphabet) yield* completions({ alphabet } as Setting, heard.with(next, reply))
}

export function* hearingsOf({ alphabet, electorate }: Setting): Generator<readonly (Reply | undefined)[]> {
  let hearings: (readonly (Reply | undefined)[])[] = [[]]
  for (const _ of electorate.voters)
    hearings = hearings.flatMap((rest) => [undefined, ...alphabet].map((reply) => [...rest, reply]))
  yield* hearings
}

/**
 * Checks that the order of the voters does not matter. Exchanges of neighbours are enough, because any other order is a
 * series of such exchanges.
 */
export function checkNeighbours(
  { electorate, policy }: Setting,
  heard: readonly (Reply | undefined)[],
): void {
  const verdict = decide(electorate, heard, policy)
  for (let voter = 1; voter < heard.length; voter++) {
    const swapped = { ...electorate, voters: exchanged(electorate.voters, voter) }
    const other = decide(swapped, exchanged(heard, voter), policy)
    if (answerOf(verdict) !== answerOf(other) || verdict?.rule !== other?.rule)
      throw new Error(`the place of ${voter} matters: ${JSON.stringify([heard, verdict, other])}`)
  }
}

function exchanged<T>(list: readonly T[], at: number): readonly T[] {
  return list.with(at, list[at - 1] as T).with(at - 1, list[at] as T)
}
