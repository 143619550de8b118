import { type Electorate, electorateOf, type Voter } from '../../src/core/quorum/electorate.ts'
import type { Action, Plan } from '../../src/core/quorum/plan.ts'
import type { Reply } from '../../src/core/quorum/reply.ts'
import { firstVote } from '../../src/core/quorum/tally.ts'
import type { Verdict } from '../../src/core/quorum/verdict.ts'
import type { VectorElectorate, VectorEvent, VectorReply, VectorVerdict } from './format.ts'

export class NamedElectorate {
  readonly electorate: Electorate
  readonly #voters: readonly Voter[]

  constructor({ superValidators, operators, sameOrigin = [], threshold }: VectorElectorate) {
    const operatorOf = (name: string) =>
      Object.entries(operators ?? {}).find(([, members]) => members.includes(name))?.[0] ?? `only ${name}`
    const together = (name: string) => sameOrigin.find((names) => names.includes(name)) ?? [name]
    this.#voters = superValidators
      .filter((name) => together(name)[0] === name)
      .map((name) => ({ names: together(name), operator: operatorOf(name) }))
    const distinct = operators === undefined ? undefined : new Set(superValidators.map(operatorOf)).size
    this.electorate = electorateOf(this.#voters, threshold, distinct)
    const unknown = [...Object.values(operators ?? {}), ...sameOrigin]
      .flat()
      .find((name) => !this.#knows(name))
    if (unknown !== undefined) throw new Error(`${unknown} is no super validator of this vector`)
  }

  voter(name: string): number {
    const voter = this.#voters.findIndex(({ names }) => names.includes(name))
    if (voter === -1) throw new Error(`${name} is no super validator of this vector`)
    return voter
  }

  names(voters: readonly number[]): string[] {
    return voters.flatMap((voter) => this.#voters[voter]?.names ?? [])
  }

  /** The first reply of a voter that is a vote counts. If a voter has no vote, its latest reply counts. */
  heard(replies: readonly VectorReply[]): (Reply | undefined)[] {
    const heard: (Reply | undefined)[] = this.#voters.map(() => undefined)
    for (const { from, says } of replies) {
      const voter = this.voter(from)
      heard[voter] = firstVote(heard[voter], replyOf(says))
    }
    return heard
  }

  verdict(verdict: Verdict): VectorVerdict {
    const { rule } = verdict
    if (verdict.kind !== 'agreed') return { failed: verdict.kind, rule }
    const by = this.names(verdict.members)
    if (verdict.on === 'history') {
      const { vote, length } = verdict
      return { agreed: 'history', vote, length, by, rule }
    }
    if (verdict.on !== 'items') return { agreed: verdict.on, vote: verdict.vote, by, rule }
    const items = verdict.items.map(({ key, vote, voters }) => ({ key, vote, by: this.names(voters) }))
    return { agreed: 'items', items, by, rule }
  }

  tell(plan: Plan, event: VectorEvent): readonly Action[] {
    if (typeof event === 'string') return plan[event]()
    if ('late' in event) return plan.late(this.voter(event.late))
    if ('paused' in event) return plan.paused(this.voter(event.paused))
    return plan.reply(this.voter(event.from), replyOf(event.says))
  }

  action(action: Action): unknown {
    if (action.do === 'ask') return { ask: this.names([action.voter])[0] }
    return action.do === 'settle' ? { settle: this.verdict(action.verdict) } : action.do
  }

  #knows(name: string): boolean {
    return this.#voters.some(({ names }) => names.includes(name))
  }
}

function replyOf(says: VectorReply['says']): Reply {
  if ('refusal' in says) return { kind: 'refusal', vote: says.refusal }
  if ('abstention' in says) return { kind: 'abstention', reason: says.abstention }
  if ('fault' in says) return { kind: 'fault', fault: says.fault }
  return {
    kind: 'value',
    vote: says.value,
    ...(says.proven !== undefined && { proven: says.proven }),
    ...(says.rank !== undefined && { rank: says.rank }),
    ...(says.time !== undefined && { time: says.time }),
    ...(says.continues === true && { continues: true }),
    ...(says.own !== undefined && { own: says.own }),
    ...(says.items !== undefined && { items: says.items }),
    ...(says.steps !== undefined && { steps: says.steps.map(([moment, vote]) => ({ moment, vote })) }),
  }
}
