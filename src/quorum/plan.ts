import { winningLength } from './draw.ts'
import { type Electorate, type Group, meets, oneIsEnough } from './electorate.ts'
import type { Reply } from './reply.ts'
import { decide, type Policy } from './rules.ts'
import { counts, type Party, tally } from './tally.ts'
import { thresholdOf } from './threshold.ts'
import type { Verdict } from './verdict.ts'

/** How many are asked at first (quorum.md 15, 16). */
export type Fanout = 'economical' | 'quorum' | 'all'

/** What the performer of a plan has to do, in order. */
export type Action =
  | { readonly do: 'ask'; readonly voter: number }
  /** Call `woke` after the hedge delay; replaces an earlier one. */
  | { readonly do: 'wake' }
  | { readonly do: 'settle'; readonly verdict: Verdict }
  /** Nothing is in flight any more, and nothing will be asked. */
  | { readonly do: 'close' }

/**
 * One read's fan-out as a state machine: whom to ask next, and when it is decided. It does nothing itself: it is told
 * what happened and returns what to do. Each voter is asked at most once; a verdict never changes once settled.
 */
export class Plan {
  readonly #electorate: Electorate
  readonly #policy: Policy
  readonly #fanout: Fanout
  /** Not asked yet, in the order of asking. */
  readonly #unasked: number[]
  /** In flight, and not yet later than a hedge delay: counted on. */
  readonly #expected = new Set<number>()
  /** In flight, but overdue: no longer counted on. */
  readonly #overdue = new Set<number>()
  readonly #heard: (Reply | undefined)[]
  #asked = 0
  #verdict: Verdict | undefined

  /** @param order voters that can be asked, first ones first; every other voter counts as a fault from the start. */
  constructor(electorate: Electorate, policy: Policy, fanout: Fanout, order: readonly number[]) {
    this.#electorate = electorate
    this.#policy = policy
    this.#fanout = fanout
    this.#unasked = [...order]
    this.#heard = electorate.voters.map((): Reply => ({ kind: 'fault', fault: 'unreachable' }))
    for (const voter of order) this.#heard[voter] = undefined
  }

  get verdict(): Verdict | undefined {
    return this.#verdict
  }

  /** What every voter said, by index; undefined where nothing was heard. */
  get heard(): readonly (Reply | undefined)[] {
    return this.#heard
  }

  /** How many were asked so far. */
  get asked(): number {
    return this.#asked
  }

  start(): readonly Action[] {
    const actions: Action[] = []
    this.#ask(this.#unasked.slice(0, this.#firstWave()), actions)
    this.#settleIfDecided(actions)
    return actions
  }

  /** A later reply of a voter that was already heard changes nothing. */
  reply(voter: number, reply: Reply): readonly Action[] {
    this.#expected.delete(voter)
    this.#overdue.delete(voter)
    if (this.#heard[voter] === undefined) this.#heard[voter] = reply
    const actions: Action[] = []
    if (this.#verdict === undefined) this.#settleIfDecided(actions)
    if (this.#verdict === undefined) this.#ask(this.#wanted(), actions)
    this.#closeIfDone(actions)
    return actions
  }

  /** The hedge delay is over: whoever has not answered is no longer counted on. */
  woke(): readonly Action[] {
    if (this.#verdict !== undefined) return []
    for (const voter of this.#expected) this.#overdue.add(voter)
    this.#expected.clear()
    const actions: Action[] = []
    this.#ask(this.#wanted(), actions)
    return actions
  }

  /** The read's time is up: everyone not heard counts as a fault. */
  expire(): readonly Action[] {
    if (this.#verdict !== undefined) return []
    this.#unasked.length = 0
    const late = this.#heard.map((reply): Reply => reply ?? { kind: 'fault', fault: 'timeout' })
    const actions: Action[] = []
    this.#settle(decide(this.#electorate, late, this.#policy), actions)
    this.#closeIfDone(actions)
    return actions
  }

  #firstWave(): number {
    if (this.#fanout === 'all' || this.#policy.patient) return this.#unasked.length
    const economical = winningLength(this.#electorate, this.#unasked)
    if (this.#fanout === 'economical') return economical
    return Math.max(economical, thresholdOf('2f+1', this.#electorate.superValidators.n))
  }

  #ask(voters: readonly number[], actions: Action[]): void {
    for (const voter of voters) {
      this.#unasked.splice(this.#unasked.indexOf(voter), 1)
      this.#expected.add(voter)
      this.#asked++
      actions.push({ do: 'ask', voter })
    }
    if (voters.length > 0 && this.#unasked.length > 0) actions.push({ do: 'wake' })
  }

  #settleIfDecided(actions: Action[]): void {
    this.#settle(decide(this.#electorate, this.#heard, this.#policy), actions)
  }

  #settle(verdict: Verdict | undefined, actions: Action[]): void {
    if (verdict === undefined) return
    this.#verdict = verdict
    actions.push({ do: 'settle', verdict })
    this.#closeIfDone(actions)
  }

  #closeIfDone(actions: Action[]): void {
    if (this.#verdict === undefined || this.#expected.size + this.#overdue.size > 0) return
    if (actions.at(-1)?.do !== 'close') actions.push({ do: 'close' })
  }

  /** Whom to ask now, so that the read settles if everyone who is counted on agrees with the leaders. */
  #wanted(): readonly number[] {
    if (this.#unasked.length === 0) return []
    const { values, refusals } = tally(this.#electorate, this.#heard)
    if (this.#mustHearAll(values, refusals)) return [...this.#unasked]
    const [value, refusal] = [values[0], refusals[0]]
    if (refusal !== undefined && refusal.members.length >= (value?.members.length ?? 0)) {
      return this.#enoughFor((extra) => this.#refusalSettles(refusal, value, extra))
    }
    const counted = [...(value?.members ?? []), ...this.#expected]
    return this.#enoughFor((extra) => meets(this.#electorate, [...counted, ...extra]))
  }

  #mustHearAll(values: readonly Party[], refusals: readonly Party[]): boolean {
    if (this.#policy.agree === 'ranked' && values.length > 1) return true
    return oneIsEnough(this.#electorate) && (refusals.length > 0 || values.length > 1)
  }

  /** Whether the refusal wins if all expected and extra voters join it: then no value must be able to win any more. */
  #refusalSettles(refusal: Party, value: Party | undefined, extra: Group): boolean {
    if (!meets(this.#electorate, [...refusal.members, ...this.#expected, ...extra])) return false
    const left = [...this.#overdue, ...this.#unasked.filter((voter) => !extra.includes(voter))]
    return !meets(this.#electorate, [...(value?.members ?? []), ...left])
  }

  /** The fewest next voters, in order, that make `settles` true; all of them where none does. */
  #enoughFor(settles: (extra: Group) => boolean): readonly number[] {
    const extra: number[] = []
    for (const voter of this.#unasked) {
      if (settles(extra)) return extra
      extra.push(voter)
    }
    return extra
  }
}

/** Whether a voter's later reply contradicts what it said first: evidence, never a vote (quorum.md 2). */
export function equivocates(first: Reply | undefined, later: Reply): boolean {
  if (first === undefined || !counts(first) || !counts(later)) return false
  return first.kind !== later.kind || (first as { vote: string }).vote !== (later as { vote: string }).vote
}
