import { milliseconds } from '../../base/lib/clock.ts'
import { capital } from '../../base/lib/option-rules.ts'
import type { PageModel } from './model.ts'
import { lookupAddress } from './views/links.ts'
import { listed, unbroken } from './views/text.ts'

export interface TourGround {
  readonly superValidators: readonly string[]
  /** The number of super validators that may lie or fail. */
  readonly f: number
  readonly acronym: string
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
  /** The page says this sentence when the step is done. */
  readonly then: string
} & ({ readonly kind: 'act' } | { readonly kind: 'look'; readonly strict: boolean })

const numbers = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']

function inWords(number: number): string {
  return numbers[number] ?? String(number)
}

/**
 * In the tour, f liars are outvoted, f+1 liars get a false answer through, and a look-up that
 * requires 2f+1 votes stops them. At last a name is renewed, and all faults are removed.
 */
export function tourSteps(ground: TourGround): readonly TourStep[] {
  const { f, superValidators } = ground
  const n = superValidators.length
  const liars = listed(liarsAt('lie', ground))
  return [
    {
      id: 'lie',
      kind: 'act',
      title: `Make ${inWords(f)} lie`,
      says: unbroken(
        `Of ${n} super validators f = ${f} may lie. The liars give every name to a party called mallory.`,
      ),
      button: `Make ${inWords(f)} lie`,
      then: `${liars} ${f === 1 ? 'lies' : 'lie'} from now on.`,
    },
    {
      id: 'look',
      kind: 'look',
      strict: false,
      title: 'Look up a name that nobody has',
      says: 'The others outvote the liars: it is agreed that there is no such name, and the liars are seen.',
      button: 'Look up',
      then: `${liars} said that mallory has this name, ${inWords(n - f)} said that nobody has it: you got the true answer.`,
    },
    {
      id: 'lies',
      kind: 'act',
      title: `Make ${inWords(f + 1)} lie`,
      says: unbroken(
        `One more than f, and they tell the same lie: f + 1 = ${f + 1} votes are enough for it. See it fail.`,
      ),
      button: `Make ${inWords(f + 1)} lie, and look up`,
      then: `${capital(inWords(f + 1))} of ${inWords(n)} lie: more than ${unbroken(`f = ${f}`)}. The answer may be false, and the page says that it is in doubt.`,
    },
    {
      id: 'strict',
      kind: 'look',
      strict: true,
      title: unbroken('Require 2f + 1 votes'),
      says: 'The same liars get no answer through any more. They can only keep you from getting one.',
      button: unbroken('Look up with 2f + 1'),
      then: unbroken(
        `No ${inWords(2 * f + 1)} super validators said the same, as 2f + 1 = ${2 * f + 1} had to: the liars kept you from an answer, but you got no false one. Programs that ask this daemon need only its own threshold, and may get the lie.`,
      ),
    },
    {
      id: 'later',
      kind: 'act',
      title: '30 days later',
      says: 'This makes all honest again, forgets who lied, registers a name for 90 days, and moves the clock by 30 days. In its last 30 days the wallet renews the name: press again to see that in its history.',
      button: '30 days later',
      then: 'The clock of this localnet was moved forward by 30 days, and all super validators are honest again: look at the history of the name.',
    },
    {
      id: 'heal',
      kind: 'act',
      title: 'Heal all',
      says: 'This ends the tour: no super validator has a fault any more, whoever set it, and the daemon forgets who lied.',
      button: 'Heal all',
      then: 'All super validators are healthy, and all of them give this answer. This was the tour. The daemon has forgotten who lied; only the clock stays ahead.',
    },
  ]
}

export function tourAddress(step: TourStep, place: number, { acronym }: TourGround): string {
  const names = { later: tourName(acronym), heal: `dso.${acronym}` }
  const name = step.id === 'later' || step.id === 'heal' ? names[step.id] : `nobody.unverified.${acronym}`
  const strict = step.kind === 'look' && step.strict
  if (!looksUp(step)) return `localnet?tour=${place + 1}#told`
  return lookupAddress({ by: 'name', text: name, ask: 'all', strict }).replace(
    '#answer',
    `&tour=${place + 1}#told`,
  )
}

/** Returns who lies after a step. The very first super validator never lies. */
export function liarsAt(id: TourStep['id'], { f, superValidators }: TourGround): readonly string[] {
  const liars = { lie: f, look: f, lies: f + 1, strict: f + 1, later: 0, heal: 0 }[id]
  return superValidators.slice(1, 1 + liars)
}

/**
 * Returns the sentence that tells what happened at the latest step. Undefined if the super validators
 * are not as the step left them: it may have been undone, or its URL opened without doing it.
 */
export function toldOf(
  ground: TourGround,
  stepsDone: number,
  { nodes = [], finding }: Pick<PageModel, 'nodes' | 'finding'>,
): string | undefined {
  const step = tourSteps(ground)[stepsDone - 1]
  if (step === undefined) return undefined
  const liars = liarsAt(step.id, ground)
  const onlyTheyLie = nodes.every(({ name, faults }) => faults.join() === (liars.includes(name) ? 'lie' : ''))
  if (!onlyTheyLie) return undefined
  if (!looksUp(step)) return step.then
  if (finding?.kind !== 'examined') return undefined
  if (step.id !== 'later') return step.then
  const isRenewed = finding.history.some(({ what }) => what === 'renewed')
  return `${step.then} ${isRenewed ? 'The wallet has renewed it.' : 'Press "30 days later" again to see it renewed.'}`
}

/** Whether the page shows a look-up after the step. */
function looksUp({ id }: TourStep): boolean {
  return id !== 'lie'
}

export function tourName(acronym: string): string {
  return `tour.unverified.${acronym}`
}
