import { type Action, Plan } from '../../../src/core/quorum/plan.ts'
import type { Reply } from '../../../src/core/quorum/reply.ts'
import type { Verdict } from '../../../src/core/quorum/verdict.ts'
import type { Setting } from './settings.ts'

export type Event =
  | { readonly voter: number; readonly says: number }
  | { readonly late: number }
  | { readonly paused: number }
  | 'expire'

/** The state of a voter, as the code that performs the plan knows the voter. */
export type Place = 'cut off' | 'unasked' | 'in time' | 'late' | 'paused' | 'heard'

export interface State {
  readonly path: readonly Event[]
  readonly places: readonly Place[]
  /**
   * The first vote of each voter, or the latest reply of a voter without a vote. Undefined for a voter that has not
   * replied.
   */
  readonly heard: readonly (Reply | undefined)[]
  /** The late voters that have not replied, in the order in which they became late. */
  readonly late: readonly number[]
  /** The number of voters that were late or paused and replied afterwards. */
  readonly lateOnce: number
  readonly settled: { readonly verdict: Verdict; readonly expired: boolean } | undefined
  readonly closed: boolean
}

export interface Step {
  readonly setting: Setting
  readonly before: State | undefined
  readonly event: Event | 'start'
  readonly actions: readonly Action[]
  readonly after: State
}

export interface Size {
  states: number
  transitions: number
  verdicts: number
}

/**
 * Visits every state that a plan can reach, each once, and tries every event in the state.
 * @param check called with every transition. An error of `check` ends the walk, and the walk adds the path to the
 * message.
 * @param keyOf returns the key of a state. States with the same key count as one state.
 */
export function walk(setting: Setting, check: (step: Step) => void, keyOf = keyUpToNames): Size {
  const size: Size = { states: 0, transitions: 0, verdicts: 0 }
  const seen = new Set<string>()
  const open: State[] = []
  const enter = (step: Step) => {
    size.transitions++
    if (step.before?.settled === undefined && step.after.settled !== undefined) size.verdicts++
    try {
      check(step)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${told(step)}`, { cause: error })
    }
    const key = keyOf(setting, step.after)
    if (seen.has(key)) return
    seen.add(key)
    size.states++
    open.push(step.after)
  }
  enter(begin(setting))
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const event of eventsIn(setting, state)) enter(stepFrom(setting, state, event))
  }
  return size
}

export function everyPath(): () => string {
  let paths = 0
  return () => String(paths++)
}

/**
 * Returns the same key for states that differ only in which voter is which. Voters that are not asked yet differ by
 * their place in the order of asking.
 */
export function keyUpToNames(setting: Setting, state: State): string {
  const operators = new Map<string, string[]>()
  state.places.forEach((place, voter) => {
    const operator = setting.needs.operators === 0 ? '' : (setting.electorate.voters[voter]?.operator ?? '')
    const at = place === 'unasked' ? `unasked ${voter}` : place
    const mark =
      place === 'heard'
        ? `says ${setting.alphabet.indexOf(state.heard[voter] as Reply)}`
        : at + orderAmongLate(setting, state, voter)
    const marks = operators.get(operator)
    if (marks === undefined) operators.set(operator, [mark])
    else marks.push(mark)
  })
  const marks = [...operators.values()].map((of) => of.sort().join()).sort()
  const { lateOnce, settled, closed } = state
  return `${marks.join('|')} ${lateOnce} ${settled?.verdict.rule} ${settled?.expired} ${closed}`
}

/**
 * Returns the place of a voter among the late voters. The first late voters count as silent, and their order does not
 * matter, so the text is empty for them.
 */
function orderAmongLate({ needs }: Setting, { late }: State, voter: number): string {
  const beyond = late.indexOf(voter) - mostSilent(needs)
  return beyond < 0 ? '' : ` ${beyond}`
}

/** Returns how many late voters a plan treats as silent at the same time: f, and 1 if f is 0. */
export function mostSilent({ f }: Setting['needs']): number {
  return f === 0 ? 1 : f
}

function begin(setting: Setting): Step {
  const plan = planOf(setting)
  const actions = plan.start()
  const cutOff: Reply = { kind: 'fault', fault: 'unreachable' }
  const canBeAsked = (voter: number) => setting.order.includes(voter)
  const voters = [...setting.electorate.voters.keys()]
  const state: State = {
    path: [],
    places: voters.map((voter) => (canBeAsked(voter) ? 'unasked' : 'cut off')),
    heard: voters.map((voter) => (canBeAsked(voter) ? undefined : cutOff)),
    late: [],
    lateOnce: 0,
    settled: undefined,
    closed: false,
  }
  const after = performed(state, 'start', actions, plan)
  return { setting, before: undefined, event: 'start', actions, after }
}

export function planAfter(setting: Setting, path: readonly Event[]): Plan {
  const plan = planOf(setting)
  plan.start()
  for (const event of path) tell(plan, setting, event)
  return plan
}

function planOf({ electorate, policy, fanout, order, course: { spare = false } }: Setting): Plan {
  return new Plan(electorate, policy, { fanout, order, spare })
}

/** Performs one event. A plan cannot be copied, so a new plan first repeats all earlier events. */
function stepFrom(setting: Setting, before: State, event: Event): Step {
  const plan = planAfter(setting, before.path)
  const actions = tell(plan, setting, event)
  const after = performed(happened(setting, before, event), event, actions, plan)
  const inFlight = after.places.findIndex(isInFlight)
  if (after.settled !== undefined && plan.late(inFlight).length + plan.expire().length > 0)
    throw new Error('something was done for time that passed after the verdict')
  return { setting, before, event, actions, after }
}

function tell(plan: Plan, { alphabet }: Setting, event: Event): readonly Action[] {
  if (typeof event === 'string') return plan[event]()
  if ('late' in event) return plan.late(event.late)
  if ('paused' in event) return plan.paused(event.paused)
  return plan.reply(event.voter, alphabet[event.says] as Reply)
}

function* eventsIn({ alphabet, course }: Setting, state: State): Generator<Event> {
  for (const [voter, place] of state.places.entries()) {
    if (state.settled === undefined && place === 'in time') yield { late: voter }
    if (state.settled === undefined && course.pauses && (place === 'in time' || place === 'late'))
      yield { paused: voter }
    if (!isInFlight(place) && !(course.again && place === 'heard')) continue
    // After the verdict, the content of a reply does not matter, so one reply stands for all.
    const letters = state.settled === undefined ? alphabet.length : 1
    for (let says = 0; says < letters; says++) yield { voter, says }
  }
  if (state.settled === undefined) yield 'expire'
}

export function isInFlight(place: Place): boolean {
  return place === 'in time' || place === 'late' || place === 'paused'
}

function happened({ alphabet }: Setting, state: State, event: Event): State {
  if (event === 'expire') return state
  if ('late' in event)
    return { ...state, places: state.places.with(event.late, 'late'), late: [...state.late, event.late] }
  if ('paused' in event) {
    const late = state.late.filter((other) => other !== event.paused)
    return { ...state, places: state.places.with(event.paused, 'paused'), late }
  }
  const { voter, says } = event
  const earlier = state.heard[voter]
  const hasVoted = earlier?.kind === 'value' || earlier?.kind === 'refusal'
  const heard = hasVoted ? state.heard : state.heard.with(voter, alphabet[says])
  const wasLate = state.places[voter] === 'late' || state.places[voter] === 'paused'
  return {
    ...state,
    places: state.places.with(voter, 'heard'),
    heard,
    late: state.late.filter((other) => other !== voter),
    lateOnce: state.lateOnce + (wasLate ? 1 : 0),
  }
}

function performed(state: State, event: Event | 'start', actions: readonly Action[], plan: Plan): State {
  const places = [...state.places]
  let { settled, closed } = state
  for (const action of actions) {
    if (closed) throw new Error('the plan went on after it closed')
    if (action.do === 'close') closed = true
    else if (action.do === 'settle') {
      if (settled !== undefined) throw new Error('the plan settled twice')
      settled = { verdict: action.verdict, expired: event === 'expire' }
    } else {
      if (settled !== undefined) throw new Error('somebody was asked after the verdict')
      if (places[action.voter] !== 'unasked')
        throw new Error(`${action.voter} was asked twice, or cannot be asked`)
      places[action.voter] = 'in time'
    }
  }
  const { verdict } = plan
  if (verdict !== settled?.verdict && JSON.stringify(verdict) !== JSON.stringify(settled?.verdict))
    throw new Error('the verdict changed')
  const path = event === 'start' ? [] : [...state.path, event]
  return { ...state, path, places, settled, closed }
}

function told({ setting, event, after }: Step): string {
  const said = (each: Event | 'start') => {
    if (typeof each === 'string' || !('says' in each)) return JSON.stringify(each)
    return `${each.voter} says ${JSON.stringify(setting.alphabet[each.says])}`
  }
  const { electorate, policy, fanout, order, needs, course } = setting
  const operators = electorate.voters.map((voter) => voter.operator).join('')
  return [
    JSON.stringify({ operators, policy, fanout, order, needs, course }),
    ...after.path.map(said),
    `at: ${said(event)}, ${after.places.join(', ')}`,
    JSON.stringify(after.settled),
  ].join('\n')
}
