import type { Step as HistoryStep, Reply } from '../../../src/core/quorum/reply.ts'
import type { Setting } from './settings.ts'
import type { State } from './walk.ts'

/** The voters that gave `what`: a value, a refusal, a version of an item, or a beginning of a history. */
export interface Camp {
  readonly what: string
  readonly voters: readonly number[]
}

/** The replies of a state, counted without the code under test. */
export class Seen {
  readonly setting: Setting
  readonly said: readonly (Reply | undefined)[]
  readonly values: readonly Camp[]
  readonly refusals: readonly Camp[]
  readonly pending: readonly number[]
  readonly faulted: readonly number[]
  readonly abstained: readonly number[]
  #items: readonly Camp[] | undefined
  #beginnings: readonly Camp[] | undefined

  /** @param isOver whether voters without a reply will never reply. */
  constructor(setting: Setting, { heard }: Pick<State, 'heard'>, isOver: boolean) {
    this.setting = setting
    this.said = heard
    this.values = campsOf(heard, (reply) => {
      if (reply.kind !== 'value') return []
      // Whoever states a time has reached all earlier ones, too.
      return setting.policy.agree === 'reached' ? reachedBy(reply, heard) : [reply.vote]
    })
    this.refusals = campsOf(heard, (reply) => (reply.kind === 'refusal' ? [reply.vote] : []))
    const [unheard, faulted, abstained]: [number[], number[], number[]] = [[], [], []]
    heard.forEach((reply, voter) => {
      if (reply === undefined) unheard.push(voter)
      else if (reply.kind === 'fault') faulted.push(voter)
      else if (reply.kind === 'abstention') abstained.push(voter)
    })
    this.pending = isOver ? [] : unheard
    this.faulted = isOver ? [...faulted, ...unheard] : faulted
    this.abstained = abstained
  }

  wins(...groups: readonly (readonly number[])[]): boolean {
    const operatorOf = operatorsOf(this.setting)
    // The sets of voters and companies are bits, because this code runs in every state.
    let [voters, companies] = [0, 0]
    for (const group of groups) {
      for (const voter of group) {
        voters |= 1 << voter
        companies |= 1 << (operatorOf[voter] ?? 0)
      }
    }
    const { votes, operators } = this.setting.needs
    return bitsIn(voters) >= votes && bitsIn(companies) >= operators
  }

  get winningValues(): readonly Camp[] {
    return this.values.filter(({ voters }) => this.wins(voters))
  }

  get winningRefusals(): readonly Camp[] {
    return this.refusals.filter(({ voters }) => this.wins(voters))
  }

  get parts(): readonly Camp[] {
    const { agree } = this.setting.policy
    if (agree === 'items') return [...this.values, ...this.items]
    return agree === 'history' ? [...this.values, ...this.beginnings] : this.values
  }

  get items(): readonly Camp[] {
    this.#items ??= campsOf(this.said, (reply) =>
      reply.kind === 'value' ? (reply.items ?? []).map(({ key, vote }) => `${key}=${vote}`) : [],
    )
    return this.#items
  }

  get beginnings(): readonly Camp[] {
    this.#beginnings ??= campsOf(this.said, (reply) => {
      const steps = stepsOf(reply)
      return steps.map((_, at) => textOf(steps.slice(0, at + 1)))
    })
    return this.#beginnings
  }

  /**
   * The beginnings that win without the voters that go on within their last moment. In the history of each of the
   * voters given, the next step is missing or has another moment.
   */
  get wholeBeginnings(): readonly Camp[] {
    return this.beginnings.flatMap(({ what, voters }) => {
      const length = what.split(' ').length
      const ended = voters.filter((voter) => {
        const steps = stepsOf(this.said[voter])
        return steps[length]?.moment !== steps[length - 1]?.moment
      })
      return this.wins(ended) ? [{ what, voters: ended }] : []
    })
  }

  /** Whether a value, an item or the beginning of a history could win if the voters of `speaking` voted for it too. */
  valueCouldWin(speaking: readonly number[]): boolean {
    if (this.wins(speaking)) return true
    const { agree } = this.setting.policy
    if (speaking.length === 0 && agree === 'history')
      return this.winningValues.length + this.wholeBeginnings.length > 0
    return this.parts.some(({ voters }) => this.wins(voters, speaking))
  }

  somethingCouldWin(speaking: readonly number[]): boolean {
    const proof = this.setting.policy.provable === true && speaking.length > 0
    return (
      proof || this.valueCouldWin(speaking) || this.refusals.some(({ voters }) => this.wins(voters, speaking))
    )
  }

  /** Whether the vote of one voter meets the threshold although there are other voters. */
  get oneWins(): boolean {
    return this.said.length > 1 && this.wins([0])
  }
}

const known = new WeakMap<Setting, readonly number[]>()

function operatorsOf(setting: Setting): readonly number[] {
  const found = known.get(setting)
  if (found !== undefined) return found
  const names = setting.electorate.voters.map(({ operator }) => operator)
  const numbers = names.map((name) => names.indexOf(name))
  known.set(setting, numbers)
  return numbers
}

function reachedBy({ time: until = '' }: Extract<Reply, { kind: 'value' }>, heard: State['heard']) {
  return heard.flatMap((other) =>
    other?.kind === 'value' && (other.time ?? '') <= until ? [other.vote] : [],
  )
}

function bitsIn(set: number): number {
  let count = 0
  for (let rest = set; rest !== 0; rest &= rest - 1) count++
  return count
}

export function stepsOf(reply: Reply | undefined): readonly HistoryStep[] {
  return reply?.kind === 'value' ? (reply.steps ?? []) : []
}

export function textOf(steps: readonly HistoryStep[]): string {
  return steps.map(({ vote }) => vote).join(' ')
}

function campsOf(said: readonly (Reply | undefined)[], things: (reply: Reply) => readonly string[]): Camp[] {
  const camps = new Map<string, number[]>()
  said.forEach((reply, voter) => {
    if (reply === undefined) return
    const named = things(reply)
    for (const thing of named.length < 2 ? named : new Set(named)) {
      const camp = camps.get(thing)
      if (camp === undefined) camps.set(thing, [voter])
      else camp.push(voter)
    }
  })
  return [...camps].map(([what, voters]) => ({ what, voters }))
}
