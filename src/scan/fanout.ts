import type { AbortNotice } from '../lib/abort.ts'
import type { Clock } from '../lib/clock.ts'
import type { Action, Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { AskReason } from '../telemetry/traces.ts'

export interface FanOut {
  readonly plan: Plan
  /** Calls `heard` with what the voter said, faults included; `failed` only when `signal` aborts. */
  readonly ask: (
    voter: number,
    heard: (voter: number, reply: Reply) => void,
    failed: (reason: unknown) => void,
    reason: AskReason,
  ) => void
  readonly hedgeMs: number
  readonly deadlineMs: number
  readonly signal: AbortNotice
  /** Called once: nothing is in flight any more. Not called after an abort. */
  readonly closed: () => void
  /** Called when the signal aborts. */
  readonly aborted?: () => void
}

/**
 * Performs a plan's actions. Resolves as soon as the plan settles; stragglers are heard afterwards, each within its
 * own time-out. Rejects only when the signal aborts.
 */
export function fanOut(options: FanOut, clock: Clock): Promise<Verdict> {
  const { plan, signal } = options
  return new Promise((resolve, reject) => {
    let cancelHedge: (() => void) | undefined
    const cancelDeadline = clock.after(options.deadlineMs, () => perform(plan.expire(), 'more'))
    const stop = () => {
      cancelDeadline()
      cancelHedge?.()
    }
    const fail = (reason: unknown) => {
      stop()
      options.aborted?.()
      reject(reason)
    }
    const heard = (voter: number, reply: Reply) => perform(plan.reply(voter, reply), 'more')
    const wake = () => {
      cancelHedge = clock.after(options.hedgeMs, () => perform(plan.woke(), 'hedge'))
    }
    const perform = (actions: readonly Action[], reason: AskReason) => {
      for (const action of actions) {
        switch (action.do) {
          case 'ask':
            options.ask(action.voter, heard, fail, reason)
            break
          case 'wake':
            wake()
            break
          case 'settle':
            stop()
            resolve(action.verdict)
            break
          case 'close':
            options.closed()
            break
        }
      }
    }
    if (signal.aborted) return fail(signal.reason)
    perform(plan.start(), 'first')
  })
}
