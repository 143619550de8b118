import type { Verdict } from '../quorum/verdict.ts'
import type { AskOutcome } from '../telemetry/label-values.ts'
import type { AskReason, ReadTrace } from '../telemetry/traces.ts'
import type { Inquiry } from './inquiry.ts'

/**
 * One event of an inquiry: the daemon asked a voter, heard its reply, or reached the verdict. `ms`
 * is the time since the inquiry began. `voter` is an index into the roster's voters.
 */
export type VoteEvent =
  | { readonly kind: 'asked'; readonly ms: number; readonly voter: number; readonly reason: AskReason }
  | {
      readonly kind: 'heard'
      readonly ms: number
      readonly voter: number
      readonly outcome: AskOutcome
      /**
       * A number that equal votes share: 0 for the first distinct vote that arrived, 1 for the
       * next. Undefined if the reply is no vote.
       */
      readonly group: number | undefined
    }
  | { readonly kind: 'settled'; readonly ms: number; readonly outcome: Verdict['kind'] }

export function voteRecorder(
  { roster, plan }: Pick<Inquiry, 'roster' | 'plan'>,
  elapsed: () => number,
  tell: (event: VoteEvent) => void,
): ReadTrace {
  const groups = new Map<string, number>()
  const groupOf = (voter: number): number | undefined => {
    const reply = plan.heard[voter]
    if (reply?.kind !== 'value' && reply?.kind !== 'refusal') return undefined
    const vote = `${reply.kind} ${reply.vote}`
    if (!groups.has(vote)) groups.set(vote, groups.size)
    return groups.get(vote)
  }
  return {
    ask(sv, reason) {
      const voter = roster.voters.findIndex(({ names }) => names[0] === sv)
      tell({ kind: 'asked', ms: elapsed(), voter, reason })
      return {
        traceParent: undefined,
        heard(outcome) {
          const ms = elapsed()
          // The event is deferred, because the plan gets the reply only after this call. The event
          // `settled` still comes after this event.
          queueMicrotask(() => tell({ kind: 'heard', ms, voter, outcome, group: groupOf(voter) }))
        },
        abandoned: nothing,
      }
    },
    settled: nothing,
    abandoned: nothing,
  }
}

function nothing(): void {}
