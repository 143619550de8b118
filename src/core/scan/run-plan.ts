import { type Clock, Deadlines } from '../../base/lib/clock.ts'
import type { AskReason } from '../../base/telemetry/traces.ts'
import type { Action, Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'

export interface Hearing {
  heard(voter: number, reply: Reply): void
  /**
   * The voter asked for a pause. After the pause, the daemon asks the voter again, and passes the
   * next reply to `heard`.
   */
  paused(voter: number): void
  /** The reply takes longer than usual, so another voter may be asked. */
  late(voter: number): void
  failed(reason: unknown): void
}

/** Sends the requests that a plan wants, and is told of the course of the plan. */
export interface Asker {
  ask(voter: number, hearing: Hearing, reason: AskReason): void
  /** Absent if `ask` itself tells the hearing when a reply is late. */
  lateMs?(voter: number): number
  late?(voter: number): void
  /** Called once, before the promise of the verdict resolves. */
  settled?(verdict: Verdict, hearing: Hearing): void
  /**
   * Called once, when there is a verdict and no request is in flight any more. The function is not
   * called after an abort.
   */
  allReplied?(): void
  aborted?(): void
}

/**
 * Asks the voters that a plan chooses, and resolves as soon as the plan has a verdict. Later
 * replies still reach the plan. The promise rejects if a request does, because it was aborted, and
 * also after an error that nobody foresaw: such a defect costs one read, and not the process.
 */
export function runPlan(plan: Plan, asker: Asker, deadlineMs: number, clock: Clock): Promise<Verdict> {
  return new RunningPlan(plan, asker, clock).start(deadlineMs)
}

class RunningPlan implements Hearing {
  readonly #plan: Plan
  readonly #asker: Asker
  readonly #verdict = Promise.withResolvers<Verdict>()
  readonly #awaited: Deadlines<number | typeof wholeRead>
  #isSettled = false

  constructor(plan: Plan, asker: Asker, clock: Clock) {
    this.#plan = plan
    this.#asker = asker
    this.#awaited = new Deadlines(clock, (late) => (late === wholeRead ? this.#expire() : this.late(late)))
  }

  start(deadlineMs: number): Promise<Verdict> {
    this.#perform((plan) => plan.start(), 'first')
    if (!this.#isSettled) this.#awaited.add(wholeRead, deadlineMs)
    return this.#verdict.promise
  }

  #expire(): void {
    this.#perform((plan) => plan.expire(), 'more')
  }

  heard(voter: number, reply: Reply): void {
    this.#awaited.remove(voter)
    this.#perform((plan) => plan.reply(voter, reply), 'more')
  }

  paused(voter: number): void {
    this.#awaited.remove(voter)
    this.#perform((plan) => plan.paused(voter), 'more')
  }

  late(voter: number): void {
    this.#asker.late?.(voter)
    this.#perform((plan) => plan.late(voter), 'hedge')
  }

  failed(reason: unknown): void {
    this.#stop()
    this.#asker.aborted?.()
    this.#verdict.reject(reason)
  }

  #perform(next: (plan: Plan) => readonly Action[], reason: AskReason): void {
    const asker = this.#asker
    let actions: readonly Action[]
    try {
      actions = next(this.#plan)
    } catch (error) {
      return this.failed(error)
    }
    for (const action of actions) {
      switch (action.do) {
        case 'ask':
          if (!this.#isSettled && asker.lateMs !== undefined)
            this.#awaited.add(action.voter, asker.lateMs(action.voter))
          asker.ask(action.voter, this, reason)
          break
        case 'settle':
          this.#stop()
          asker.settled?.(action.verdict, this)
          this.#verdict.resolve(action.verdict)
          break
        case 'close':
          asker.allReplied?.()
          break
      }
    }
  }

  #stop(): void {
    this.#isSettled = true
    this.#awaited.clear()
  }
}

/** This item of the deadlines stands for the whole read. The others are voters. */
const wholeRead = 'whole read'
