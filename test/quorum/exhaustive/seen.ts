import type { Step as HistoryStep, Reply } from '../../../src/quorum/reply.ts'
import type { Setting } from './settings.ts'
import type { State } from './walk.ts'

/** Voters that said one thing, whatever a thing is: a value, a refusal, an item in one version, a beginning of a history. */
export interface Camp {
  readonly what: string
  readonly voters: readonly number[]
}

/** What was said, counted by hand. */
export class Seen {
  readonly setting: Setting
  readonly said: readonly (Reply | undefined)[]
  readonly values: readonly Camp[]
  readonly refusals: readonly Camp[]
  /** Who may still speak. */
  readonly pending: readonly number[]
  readonly faulted: readonly number[]
  readonly abstained: readonly number[]

  /** @param isOver whether whoever did not speak until now never will. */
  constructor(setting: Setting, { heard }: Pick<State, 'heard'>, isOver: boolean) {
    const whose = (test: (reply: Reply | undefined) => boolean) =>
      [...heard.keys()].filter((voter) => test(heard[voter]))
    this.setting = setting
    this.said = heard
    this.values = campsOf(heard, (reply) => (reply.kind === 'value' ? [reply.vote] : []))
    this.refusals = campsOf(heard, (reply) => (reply.kind === 'refusal' ? [reply.vote] : []))
    const unheard = whose((reply) => reply === undefined)
    this.pending = isOver ? [] : unheard
    this.faulted = [...whose((reply) => reply?.kind === 'fault'), ...(isOver ? unheard : [])]
    this.abstained = whose((reply) => reply?.kind === 'abstention')
  }

  wins(...groups: readonly (readonly number[])[]): boolean {
    const voters = new Set(groups.flat())
    const companies = new Set([...voters].map((voter) => this.setting.electorate.voters[voter]?.operator))
    const { votes, operators } = this.setting.needs
    return voters.size >= votes && companies.size >= operators
  }

  get winningValues(): readonly Camp[] {
    return this.values.filter(({ voters }) => this.wins(voters))
  }

  get winningRefusals(): readonly Camp[] {
    return this.refusals.filter(({ voters }) => this.wins(voters))
  }

  /** Everything of which a value may be made, and who gave it. */
  get parts(): readonly Camp[] {
    const { agree } = this.setting.policy
    if (agree === 'items') return [...this.values, ...this.items]
    return agree === 'history' ? [...this.values, ...this.beginnings] : this.values
  }

  /** By key and version. */
  get items(): readonly Camp[] {
    return campsOf(this.said, (reply) =>
      reply.kind === 'value' ? (reply.items ?? []).map(({ key, vote }) => `${key}=${vote}`) : [],
    )
  }

  /** All beginnings of histories, told by their steps, and who carries each. */
  get beginnings(): readonly Camp[] {
    return campsOf(this.said, (reply) => {
      const steps = stepsOf(reply)
      return steps.map((_, at) => textOf(steps.slice(0, at + 1)))
    })
  }

  /** The beginnings that win and after which all who carry them go on to another moment, or end. */
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

  /** Whether something would win if these spoke as well as they can for it. */
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

  /** Whether each single voter wins although there are others. */
  get oneWins(): boolean {
    return this.said.length > 1 && this.wins([0])
  }
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
    for (const thing of reply === undefined ? [] : new Set(things(reply))) {
      const camp = camps.get(thing)
      if (camp === undefined) camps.set(thing, [voter])
      else camp.push(voter)
    }
  })
  return [...camps].map(([what, voters]) => ({ what, voters }))
}
