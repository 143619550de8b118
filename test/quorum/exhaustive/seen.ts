import type { Step as HistoryStep, Reply } from '../../../src/quorum/reply.ts'
import type { Setting } from './settings.ts'
import type { State } from './walk.ts'

/** Voters that said the same: a value, a refusal, one version of an item, or the beginning of a history. */
export interface Camp {
  readonly what: string
  readonly voters: readonly number[]
}

/** The replies, counted independently of the code under test. */
export class Seen {
  readonly setting: Setting
  readonly said: readonly (Reply | undefined)[]
  readonly values: readonly Camp[]
  readonly refusals: readonly Camp[]
  /** The voters that may still reply. */
  readonly pending: readonly number[]
  readonly faulted: readonly number[]
  readonly abstained: readonly number[]
  #items: readonly Camp[] | undefined
  #beginnings: readonly Camp[] | undefined

  /** @param isOver true if voters that have not replied never will. */
  constructor(setting: Setting, { heard }: Pick<State, 'heard'>, isOver: boolean) {
    this.setting = setting
    this.said = heard
    this.values = campsOf(heard, (reply) => (reply.kind === 'value' ? [reply.vote] : []))
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
    // Sets of bits are fast, and this runs in every state.
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

  /** The parts from which a value may be made, with the voters that gave each. */
  get parts(): readonly Camp[] {
    const { agree } = this.setting.policy
    if (agree === 'items') return [...this.values, ...this.items]
    return agree === 'history' ? [...this.values, ...this.beginnings] : this.values
  }

  /** The items by key and version, with the voters that gave each. */
  get items(): readonly Camp[] {
    this.#items ??= campsOf(this.said, (reply) =>
      reply.kind === 'value' ? (reply.items ?? []).map(({ key, vote }) => `${key}=${vote}`) : [],
    )
    return this.#items
  }

  /** All beginnings of histories, with the voters whose history has each. */
  get beginnings(): readonly Camp[] {
    this.#beginnings ??= campsOf(this.said, (reply) => {
      const steps = stepsOf(reply)
      return steps.map((_, at) => textOf(steps.slice(0, at + 1)))
    })
    return this.#beginnings
  }

  /**
   * The winning beginnings that end a moment: in each history, the next step has another moment, or there is
   * none.
   */
  get wholeBeginnings(): readonly Camp[] {
    return this.beginnings.filter(({ what, voters }) => {
      if (!this.wins(voters)) return false
      const length = what.split(' ').length
      return voters.every((voter) => {
        const steps = stepsOf(this.said[voter])
        return steps[length]?.moment !== steps[length - 1]?.moment
      })
    })
  }

  /** Whether a value would win if these voters supported it as well as they can. */
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

  /** Whether a single voter wins although there are others. */
  get oneWins(): boolean {
    return this.said.length > 1 && this.wins([0])
  }
}

const known = new WeakMap<Setting, readonly number[]>()

/** Returns the number of the operator of each voter. */
function operatorsOf(setting: Setting): readonly number[] {
  const found = known.get(setting)
  if (found !== undefined) return found
  const names = setting.electorate.voters.map(({ operator }) => operator)
  const numbers = names.map((name) => names.indexOf(name))
  known.set(setting, numbers)
  return numbers
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
