import { milliseconds } from '../lib/clock.ts'
import { doubtOf, type Examination } from '../scan/examiner.ts'
import type { Finding, ShownNode } from './model.ts'
import { lookupAddress } from './views/links.ts'
import { namesWith, votesWith } from './views/stances.ts'
import { listed, unbroken } from './views/text.ts'

export interface TourGround {
  readonly superValidators: readonly string[]
  /** The number of super validators that may lie or fail. */
  readonly f: number
  readonly acronym: string
}

export interface TourState {
  readonly nodes: readonly ShownNode[]
  readonly aheadMs: number
  readonly finding: Finding | undefined
  readonly hasRecentDoubt: boolean
}

/** The step `later` moves the clock of the localnet forward by this time. */
export const laterStepMs = milliseconds('30d')

/**
 * A step of the kind `act` is a button that changes the localnet. A step of the kind `look` is a
 * link that looks up a name.
 */
export type TourStep = {
  readonly id: 'lie' | 'look' | 'lies' | 'strict' | 'later' | 'heal'
  readonly title: string
  readonly says: string
  readonly button: string
} & ({ readonly kind: 'act' } | { readonly kind: 'look'; readonly strict: boolean })

const numbers = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

function inWords(number: number): string {
  return numbers[number] ?? String(number)
}

/**
 * In the tour, f liars are outvoted, f+1 liars get a false answer through, and a look-up that
 * requires 2f+1 votes stops them. At last a name is renewed, and all faults are removed.
 */
export function tourSteps({ f, superValidators }: TourGround): readonly TourStep[] {
  const n = superValidators.length
  return [
    {
      id: 'lie',
      kind: 'act',
      title: `Make ${inWords(f)} lie`,
      says: unbroken(
        `Of ${n} super validators f = ${f} may lie. The liars give every name to a party called mallory.`,
      ),
      button: `Make ${inWords(f)} lie`,
    },
    {
      id: 'look',
      kind: 'look',
      strict: false,
      title: 'Look up a name that nobody has',
      says: 'The others outvote the liars: it is agreed that there is no such name, and the liars are seen.',
      button: 'Look up',
    },
    {
      id: 'lies',
      kind: 'act',
      title: `Make ${inWords(f + 1)} lie`,
      says: unbroken(
        `One more than f, and they tell the same lie: f + 1 = ${f + 1} votes are enough for it. See it fail.`,
      ),
      button: `Make ${inWords(f + 1)} lie, and look up`,
    },
    {
      id: 'strict',
      kind: 'look',
      strict: true,
      title: unbroken('Require 2f + 1 votes'),
      says: 'The same liars get no answer through any more. They can only keep you from getting one.',
      button: unbroken('Look up with 2f + 1'),
    },
    {
      id: 'later',
      kind: 'act',
      title: '30 days later',
      says: 'This makes all honest again, registers a name for 90 days, and moves the clock by 30 days. In its last 30 days the wallet renews the name: press again to see that in its history.',
      button: '30 days later',
    },
    {
      id: 'heal',
      kind: 'act',
      title: 'Heal all',
      says: 'This ends the tour: no super validator has a fault any more, whoever set it.',
      button: 'Heal all',
    },
  ]
}

export function tourAddress(step: TourStep, place: number, { acronym }: TourGround): string {
  const name = step.id === 'later' ? tourName(acronym) : `nobody.unverified.${acronym}`
  const strict = step.kind === 'look' && step.strict
  if (step.id === 'lie' || step.id === 'heal') return `./?tour=${place + 1}#told`
  return lookupAddress({ by: 'name', text: name, ask: 'all', strict }).replace(
    '#answer',
    `&tour=${place + 1}#told`,
  )
}

/**
 * Returns how many super validators lie after a step. The very first super validator never lies.
 */
export function liarsAfter(id: TourStep['id'], f: number): number {
  return { lie: f, look: f, lies: f + 1, strict: f + 1, later: 0, heal: 0 }[id]
}

/**
 * Returns the sentence that tells what happened at the latest step. Undefined if the super validators
 * are not as the step left them: it may have been undone, or its URL opened without doing it.
 */
export function toldOf(ground: TourGround, stepsDone: number, state: TourState): string | undefined {
  const step = tourSteps(ground)[stepsDone - 1]
  if (step === undefined) return undefined
  const { finding, nodes } = state
  const { f, superValidators } = ground
  const liars = superValidators.slice(1, 1 + liarsAfter(step.id, f))
  if (!onlyTheseLie(nodes, liars)) return undefined
  if (step.id === 'lie') return `${listed(liars)} ${f === 1 ? 'lies' : 'lie'} from now on.`
  if (step.id === 'heal') return toldOfEnd(state)
  if (finding?.kind !== 'examined') return undefined
  return { look: toldOfLook, lies: toldOfLies, strict: toldOfStrict, later: toldOfLater }[step.id](
    finding.examination,
    state,
  )
}

/** Whether exactly these super validators lie, and no super validator has another fault. */
function onlyTheseLie(nodes: readonly ShownNode[], liars: readonly string[]): boolean {
  return nodes.every(({ name, faults }) => faults.join() === (liars.includes(name) ? 'lie' : ''))
}

function toldOfEnd({ aheadMs, hasRecentDoubt }: TourState): string {
  const left = [
    aheadMs >= milliseconds('1m') && 'the clock stays ahead',
    hasRecentDoubt && 'for an hour every answer may be called in doubt',
  ].filter((each) => each !== false)
  const told = 'All super validators are healthy. This was the tour.'
  return left.length === 0
    ? told
    : `${told} The daemon does not forget it: ${listed(left)}. Start the daemon anew for a fresh localnet.`
}

function toldOfLook(
  { stands, answer, outcome }: Examination,
  { hasRecentDoubt }: TourState,
): string | undefined {
  const liars = namesWith(stands, 'dissented')
  const honest = votesWith(stands, 'agreed')
  if (outcome !== 'agreed' || answer?.kind !== 'absence' || liars.length === 0) return undefined
  const told = `${listed(liars)} said that mallory has this name, ${inWords(honest)} said that nobody has it: you got the true answer.`
  return hasRecentDoubt
    ? `${told} The page cannot know that: it warns for an hour after more than f contradicted each other.`
    : told
}

function toldOfLies(examination: Examination): string | undefined {
  const { f, n } = examination.electorate.superValidators
  if (doubtOf(examination) !== 'beyond-f') return undefined
  const lie = `${inWords(f + 1)} of ${inWords(n)} lie: more than ${unbroken(`f = ${f}`)}.`
  const isFalse = examination.answer?.kind === 'value'
  return `${capital(lie)} The answer is ${isFalse ? 'false' : 'true by chance'}, and the page says that it is in doubt.`
}

function toldOfStrict({ outcome, electorate }: Examination): string | undefined {
  const { threshold } = electorate.superValidators
  if (outcome === 'agreed') return undefined
  return unbroken(
    `No ${inWords(threshold)} super validators said the same, as 2f + 1 = ${threshold} had to: the liars kept you from an answer, but you got no false one. Programs that ask this daemon need only its own threshold, and may get the lie.`,
  )
}

function toldOfLater(_: Examination, { aheadMs }: TourState): string {
  // The two clocks are read one after the other, so the difference may be slightly less than 30
  // days.
  if (aheadMs < laterStepMs - milliseconds('1m'))
    return 'The clock of this localnet is not 30 days ahead: press "30 days later" to move it.'
  const again =
    aheadMs < 2 * laterStepMs - milliseconds('1m') ? ' Press "30 days later" again to see it renewed.' : ''
  return `The clock of this localnet was moved forward by 30 days, and all super validators are honest again: look at the history of the name.${again}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function tourName(acronym: string): string {
  return `tour.unverified.${acronym}`
}
