import { type Electorate, type Group, meets } from './electorate.ts'
import { winningLength } from './order.ts'
import type { Reply } from './reply.ts'
import { judge, type Policy, type Situation, situationOf, valueCanWin } from './rules.ts'
import { counts, firstVote, type Heard } from './tally.ts'
import { thresholdOf } from './threshold.ts'
import type { Verdict } from './verdict.ts'

/** How many are asked at first (quorum.md#as-few-as-can-agree). */
export type Fanout = 'economical' | 'quorum' | 'all'

/** What the performer of a plan has to do, in order. */
export type Action =
  /** And call `late` where its reply takes longer than usual. */
  | { readonly do: 'ask'; readonly voter: number }
  | { readonly do: 'settle'; readonly verdict: Verdict }
  /** Nothing is in flight any more, and nothing will be asked. */
  | { readonly do: 'close' }

/** A plan may ask these voters, and asks as many at first as this says. */
export interface PlanOptions {
  readonly fanout: Fanout
  /** Voters that can be asked, first ones first; every other voter counts as a fault from the start. */
  readonly order: readonly number[]
  /** Whether an economical first wave has one more than it needs, so that nobody waits for one of them that is late. */
  readonly spare?: boolean
}

/**
 * One read's fan-out as a state machine: whom to ask next, and when it is decided. It does nothing itself: it is told
 * what happened and returns what to do. Each voter is asked at most once; a verdict never changes once settled.
 */
export class Plan {
  readonly #electorate: Electorate
  readonly #policy: Policy
  readonly #fanout: Fanout
  readonly #spare: number
  /** Not asked yet, in the order of asking. */
  readonly #unasked: number[]
  /** In flight, and not late. */
  readonly #expected: number[] = []
  /** In flight, but late: the first ones, up to `#mostSilent`, are not counted on. */
  readonly #late: number[] = []
  /** To be asked again later, and so not counted on. */
  readonly #paused: number[] = []
  readonly #mostSilent: number
  readonly #heard: (Reply | undefined)[]
  #asked = 0
  #verdict: Verdict | undefined
  #closed = false

  constructor(electorate: Electorate, policy: Policy, { fanout, order, spare = false }: PlanOptions) {
    this.#electorate = electorate
    this.#policy = policy
    this.#fanout = fanout
    this.#spare = spare ? 1 : 0
    this.#mostSilent = Math.max(1, electorate.superValidators.f)
    this.#unasked = [...order]
    this.#heard = electorate.voters.map(() => unreachable)
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

  /** Those that can be asked and were not. */
  get unasked(): Group {
    return this.#unasked
  }

  start(): readonly Action[] {
    const actions: Action[] = []
    if (this.#settle(this.#situation(), actions)) this.#closeIfDone(actions)
    else this.#ask(this.#firstWave(), actions)
    return actions
  }

  reply(voter: number, reply: Reply): readonly Action[] {
    remove(this.#expected, voter)
    remove(this.#late, voter)
    remove(this.#paused, voter)
    this.#heard[voter] = firstVote(this.#heard[voter], reply)
    const actions: Action[] = []
    if (this.#verdict === undefined) {
      const situation = this.#situation()
      if (!this.#settle(situation, actions)) this.#ask(this.#wanted(situation), actions)
    }
    this.#closeIfDone(actions)
    return actions
  }

  /**
   * Its reply takes longer than usual. Another one is asked in its place if that is needed: of no more than may be faulty at
   * a time, and of one where none may. A network that is slow for everybody is not asked for more.
   */
  late(voter: number): readonly Action[] {
    return this.#moved(voter, this.#late)
  }

  /** It asked to be asked again later: another one is asked in its place at once. */
  paused(voter: number): readonly Action[] {
    remove(this.#late, voter)
    return this.#moved(voter, this.#paused)
  }

  /** After the verdict: one that was not asked is asked all the same, for evidence alone. */
  audit(voter: number): void {
    remove(this.#unasked, voter)
    this.#asked++
  }

  /** The read's time is up: everyone not heard counts as a fault. */
  expire(): readonly Action[] {
    if (this.#verdict !== undefined) return []
    const late = this.#heard.map((reply): Reply => reply ?? { kind: 'fault', fault: 'timeout' })
    const actions: Action[] = []
    this.#settle(this.#situation(late), actions)
    this.#closeIfDone(actions)
    return actions
  }

  /** A voter in flight is no longer counted on; another one is asked in its place if that is needed. */
  #moved(voter: number, to: number[]): readonly Action[] {
    if (this.#verdict !== undefined) return []
    remove(this.#expected, voter)
    to.push(voter)
    const actions: Action[] = []
    this.#ask(this.#wanted(this.#situation()), actions)
    return actions
  }

  #situation(heard: Heard = this.#heard): Situation {
    return situationOf(this.#electorate, heard, this.#policy)
  }

  #firstWave(): readonly number[] {
    if (this.#fanout === 'all' || this.#policy.patient) return this.#unasked
    if (this.#fanout === 'economical' && this.#policy.provable === true) return this.#unasked.slice(0, 1)
    const economical = winningLength(this.#electorate, this.#unasked)
    if (this.#fanout === 'economical') return this.#unasked.slice(0, economical + this.#spare)
    return this.#unasked.slice(
      0,
      Math.max(economical, thresholdOf('2f+1', this.#electorate.superValidators.n)),
    )
  }

  /** @param voters the first ones of those not asked yet. */
  #ask(voters: readonly number[], actions: Action[]): void {
    for (const voter of voters) {
      this.#expected.push(voter)
      actions.push({ do: 'ask', voter })
    }
    this.#asked += voters.length
    this.#unasked.splice(0, voters.length)
  }

  /** Whether there is a verdict. */
  #settle(situation: Situation, actions: Action[]): boolean {
    this.#verdict = judge(situation)
    if (this.#verdict === undefined) return false
    actions.push({ do: 'settle', verdict: this.#verdict })
    return true
  }

  #closeIfDone(actions: Action[]): void {
    const inFlight = this.#expected.length + this.#late.length + this.#paused.length
    if (this.#closed || this.#verdict === undefined || inFlight > 0) return
    this.#closed = true
    actions.push({ do: 'close' })
  }

  /** Whom to ask now, so that the read settles if everyone who is counted on agrees with the leaders. */
  #wanted(situation: Situation): readonly number[] {
    const { values, refusals } = situation.tally
    // The first of several values is served, so everyone is asked for theirs.
    if (this.#unasked.length === 0 || (this.#policy.agree === 'ranked' && values.length > 1))
      return this.#unasked
    const value = values[0]?.members ?? []
    const refusal = refusals[0]?.members ?? []
    const expected = [...this.#expected, ...this.#late.slice(this.#mostSilent)]
    const silent = [...this.#late.slice(0, this.#mostSilent), ...this.#paused]
    if (refusal.length > 0 && refusal.length >= value.length) {
      const rival = refusals[1]?.members.length ?? 0
      // An absence also has to be the only one of its size, and leave too few that could still give a value.
      return this.#firstUnasked(
        (extra, rest) =>
          refusal.length + expected.length + extra.length > rival &&
          meets(this.#electorate, refusal, expected, extra) &&
          !valueCanWin(situation, [...silent, ...rest]),
      )
    }
    return this.#firstUnasked((extra) => meets(this.#electorate, value, expected, extra))
  }

  /** The fewest of those not asked yet, first ones first, that are enough; all of them where none are. */
  #firstUnasked(areEnough: (extra: Group, rest: Group) => boolean): readonly number[] {
    for (let count = 0; count < this.#unasked.length; count++) {
      const extra = this.#unasked.slice(0, count)
      if (areEnough(extra, this.#unasked.slice(count))) return extra
    }
    return this.#unasked
  }
}

const unreachable: Reply = { kind: 'fault', fault: 'unreachable' }

/** Rosters are small: faster than a set. */
function remove(voters: number[], voter: number): void {
  const at = voters.indexOf(voter)
  if (at !== -1) voters.splice(at, 1)
}

/** Whether a voter's later reply contradicts what it said first: evidence, never a vote (quorum.md#one-vote-each). */
export function equivocates(first: Reply | undefined, later: Reply): boolean {
  return counts(first) && counts(later) && (first.kind !== later.kind || first.vote !== later.vote)
}
