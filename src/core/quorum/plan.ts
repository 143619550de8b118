import type { Random } from '../../base/lib/random.ts'
import { thresholdOf } from '../../base/lib/threshold.ts'
import type { Electorate, Group, Voter } from './electorate.ts'
import type { Reply } from './reply.ts'
import { differsInOwnTexts, judge, type Policy, type Situation, situationOf, valueCanWin } from './rules.ts'
import { firstVote, type Heard, meetThreshold } from './tally.ts'
import type { Verdict } from './verdict.ts'

/**
 * The number of voters that a read asks at first (quorum.md#as-few-as-can-agree).
 * - `economical`: the smallest number whose equal votes reach the threshold.
 * - `quorum`: as many as the threshold `2f+1` needs, or more if the configured threshold needs
 *   more.
 * - `all`: every voter.
 */
export type FanoutMode = 'economical' | 'quorum' | 'all'

/** An instruction to the code that runs a plan and sends its requests. */
export type Action =
  /**
   * Ask this voter. Then call `Plan.late` if its reply takes longer than usual, and `Plan.reply`
   * when it arrives.
   */
  | { readonly do: 'ask'; readonly voter: number }
  | { readonly do: 'settle'; readonly verdict: Verdict }
  /** The read is over: it has a verdict, and no request is in flight. */
  | { readonly do: 'close' }

export interface PlanOptions {
  readonly fanout: FanoutMode
  /**
   * The voters that can be asked, in the order of asking. Voters that are neither here nor in
   * `aside` count as unreachable.
   */
  readonly order: readonly number[]
  /**
   * Voters that an operator of this daemon set aside. They are not asked, and get the fault
   * `held-back`.
   */
  readonly aside?: readonly number[]
  /**
   * Whether to ask one voter more than needed at first, so that one late reply does not delay the
   * read. This applies to the fan-out `economical` only, and not to a `provable` read.
   */
  readonly spare?: boolean
}

/**
 * Decides which voters a read asks next, and when the read has a verdict. The plan has no effects:
 * its methods take events and return actions. It names each voter once at most.
 */
export class Plan {
  readonly #electorate: Electorate
  readonly #policy: Policy
  readonly #fanout: FanoutMode
  readonly #spare: number
  readonly #unasked: number[]
  readonly #expected: number[] = []
  /**
   * Voters whose reply is late, earliest first. Other voters are asked in place of the first
   * `#mostSilent` of them.
   */
  readonly #late: number[] = []
  readonly #paused: number[] = []
  readonly #mostSilent: number
  readonly #heard: (Reply | undefined)[]
  #asked = 0
  #verdict: Verdict | undefined
  #closed = false

  constructor(
    electorate: Electorate,
    policy: Policy,
    { fanout, order, aside = [], spare = false }: PlanOptions,
  ) {
    this.#electorate = electorate
    this.#policy = policy
    this.#fanout = fanout
    this.#spare = spare ? 1 : 0
    this.#mostSilent = Math.max(1, electorate.superValidators.f)
    this.#unasked = [...order]
    this.#heard = Array(electorate.voters.length).fill(unreachable)
    for (const voter of aside) this.#heard[voter] = heldBack
    for (const voter of order) this.#heard[voter] = undefined
  }

  get verdict(): Verdict | undefined {
    return this.#verdict
  }

  get heard(): readonly (Reply | undefined)[] {
    return this.#heard
  }

  get asked(): number {
    return this.#asked
  }

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
   * Records that a reply is late, and asks other voters if needed. At most max(1, f) late voters
   * are replaced, so that a slow network does not cause requests to all voters.
   */
  late(voter: number): readonly Action[] {
    return this.#moved(voter, this.#late)
  }

  paused(voter: number): readonly Action[] {
    remove(this.#late, voter)
    return this.#moved(voter, this.#paused)
  }

  /** Records a request that is sent after the verdict. Its reply serves as evidence only. */
  audit(voter: number): void {
    remove(this.#unasked, voter)
    this.#asked++
  }

  /** Ends the read because its time is up: every voter without a reply gets the fault `timeout`. */
  expire(): readonly Action[] {
    if (this.#verdict !== undefined) return []
    const withTimeouts = this.#heard.map((reply): Reply => reply ?? { kind: 'fault', fault: 'timeout' })
    const actions: Action[] = []
    this.#settle(this.#situation(withTimeouts), actions, true)
    this.#closeIfDone(actions)
    return actions
  }

  #moved(voter: number, to: number[]): readonly Action[] {
    if (this.#verdict !== undefined) return []
    remove(this.#expected, voter)
    to.push(voter)
    const actions: Action[] = []
    const situation = this.#situation()
    if (!this.#settle(situation, actions)) this.#ask(this.#wanted(situation), actions)
    return actions
  }

  #situation(heard: Heard = this.#heard): Situation {
    return situationOf(this.#electorate, heard, this.#policy)
  }

  #firstWave(): readonly number[] {
    const { patient, agree } = this.#policy
    if (this.#fanout === 'all' || patient || agree === 'reached') return this.#unasked
    if (this.#fanout === 'economical' && this.#policy.provable === true) return this.#unasked.slice(0, 1)
    const economical = winningLength(this.#electorate, this.#unasked)
    if (this.#fanout === 'economical') return this.#unasked.slice(0, economical + this.#spare)
    return this.#unasked.slice(
      0,
      Math.max(economical, thresholdOf('2f+1', this.#electorate.superValidators.n)),
    )
  }

  #ask(voters: readonly number[], actions: Action[]): void {
    for (const voter of voters) {
      this.#expected.push(voter)
      actions.push({ do: 'ask', voter })
    }
    this.#asked += voters.length
    this.#unasked.splice(0, voters.length)
  }

  #settle(situation: Situation, actions: Action[], isTimeUp = false): boolean {
    const verdict = judge(situation)
    if (verdict === undefined) return false
    if (!isTimeUp && this.#expected.length > 0 && this.#mayBeLater(verdict)) return false
    this.#verdict = verdict
    actions.push({ do: 'settle', verdict })
    if (this.#continues(verdict)) this.#ask(this.#unasked, actions)
    return true
  }

  /** Whether a reply that is in time may state a later time than the agreed one. */
  #mayBeLater(verdict: Verdict): boolean {
    return this.#policy.agree === 'reached' && verdict.kind === 'agreed' && verdict.on === 'value'
  }

  #continues(verdict: Verdict): boolean {
    if (verdict.kind !== 'agreed' || verdict.on !== 'value') return false
    const reply = this.#heard[verdict.members[0] ?? -1]
    return reply?.kind === 'value' && reply.continues === true
  }

  #closeIfDone(actions: Action[]): void {
    const inFlight = this.#expected.length + this.#late.length + this.#paused.length
    if (this.#closed || this.#verdict === undefined || inFlight > 0) return
    this.#closed = true
    actions.push({ do: 'close' })
  }

  /**
   * Returns the voters to ask now: just enough for a verdict if all expected replies agree with the
   * largest group.
   */
  #wanted(situation: Situation): readonly number[] {
    const { values, refusals } = situation.tally
    // With `ranked`, every voter must be asked as soon as two values differ.
    if (this.#unasked.length === 0 || (this.#policy.agree === 'ranked' && values.length > 1))
      return this.#unasked
    if (differsInOwnTexts(situation)) return this.#unasked
    const value = values[0]?.members ?? []
    const refusal = refusals[0]?.members ?? []
    const expected = [...this.#expected, ...this.#late.slice(this.#mostSilent)]
    if (refusal.length > 0 && refusal.length >= value.length) {
      const silent = [...this.#late.slice(0, this.#mostSilent), ...this.#paused]
      const rival = refusals[1]?.members.length ?? 0
      // A refusal wins only if it outnumbers other refusals, and no value can still reach the
      // threshold.
      return this.#firstUnasked(
        (extra, rest) =>
          refusal.length + expected.length + extra.length > rival &&
          meetThreshold(this.#electorate, refusal, expected, extra) &&
          !valueCanWin(situation, [...silent, ...rest]),
      )
    }
    return this.#firstUnasked((extra) => meetThreshold(this.#electorate, value, expected, extra))
  }

  #firstUnasked(areEnough: (extra: Group, rest: Group) => boolean): readonly number[] {
    for (let count = 0; count < this.#unasked.length; count++) {
      const extra = this.#unasked.slice(0, count)
      if (areEnough(extra, this.#unasked.slice(count))) return extra
    }
    return this.#unasked
  }
}

const unreachable: Reply = { kind: 'fault', fault: 'unreachable' }
const heldBack: Reply = { kind: 'fault', fault: 'held-back' }

function remove(voters: number[], voter: number): void {
  const at = voters.indexOf(voter)
  if (at !== -1) voters.splice(at, 1)
}

/**
 * A voter counts as equally fast as a faster one if its expected reply is at most 20 % or 5 ms
 * later, whichever is more.
 */
const equalWithin = { share: 0.2, ms: 5 }

/**
 * Orders voters by expected reply time, and shuffles equally fast voters so that they share the
 * load. If operators are configured, the fastest voters of different operators come first, as many
 * as the threshold of operators needs.
 * @param expectedMs milliseconds from now to the reply, by voter index; undefined for a voter that
 * cannot be asked.
 */
export function askingOrder(
  electorate: Electorate,
  expectedMs: readonly (number | undefined)[],
  random: Random,
): readonly number[] {
  const order = fastestFirst(expectedMs)
  for (let from = 0; from < order.length; ) {
    const end = endOfEquals(order, expectedMs, from)
    shuffle(order, from, end, random)
    from = end
  }
  return electorate.operators === undefined
    ? order
    : operatorsFirst(electorate, order, electorate.operators.threshold)
}

/**
 * Returns how many of the first voters in `order` reach the threshold if all of them agree. Returns
 * `order.length` if all of them are too few.
 */
export function winningLength(electorate: Electorate, order: readonly number[]): number {
  let length = Math.min(electorate.superValidators.threshold, order.length)
  while (length < order.length && !meetThreshold(electorate, order.slice(0, length))) length++
  return length
}

/**
 * Returns the voters that can be asked, fastest first. For so few voters, this insertion sort is
 * faster than `Array.prototype.sort`.
 */
function fastestFirst(expectedMs: readonly (number | undefined)[]): number[] {
  const order: number[] = []
  for (let voter = 0; voter < expectedMs.length; voter++) {
    const expected = expectedMs[voter]
    if (expected === undefined) continue
    let at = order.length
    for (; at > 0 && (expectedMs[order[at - 1] as number] as number) > expected; at--) {
      order[at] = order[at - 1] as number
    }
    order[at] = voter
  }
  return order
}

function endOfEquals(
  order: readonly number[],
  expectedMs: readonly (number | undefined)[],
  from: number,
): number {
  const fastest = expectedMs[order[from] as number] as number
  const latest = fastest + Math.max(equalWithin.ms, fastest * equalWithin.share)
  let end = from + 1
  while (end < order.length && (expectedMs[order[end] as number] as number) <= latest) end++
  return end
}

function shuffle(order: number[], from: number, end: number, random: Random): void {
  for (let last = end - 1; last > from; last--) {
    const drawn = from + Math.floor(random() * (last - from + 1))
    const voter = order[last] as number
    order[last] = order[drawn] as number
    order[drawn] = voter
  }
}

function operatorsFirst(electorate: Electorate, order: readonly number[], wanted: number): readonly number[] {
  const operators = new Set<string>()
  const first: number[] = []
  const rest: number[] = []
  for (const voter of order) {
    const { operator } = electorate.voters[voter] as Voter
    if (operators.size < wanted && !operators.has(operator)) {
      operators.add(operator)
      first.push(voter)
    } else {
      rest.push(voter)
    }
  }
  return [...first, ...rest]
}
