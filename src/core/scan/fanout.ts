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

export interface FanOut {
  readonly plan: Plan
  readonly ask: (voter: number, hearing: Hearing, reason: AskReason) => void
  /** Absent if `ask` itself tells the hearing when a reply is late. */
  readonly lateMs?: (voter: number) => number
  readonly late?: (voter: number) => void
  readonly deadlineMs: number
  readonly signal: AbortSignal
  readonly settled?: (hearing: Hearing) => void
  /**
   * Called once, when there is a verdict and no request is in flight any more. The function is not
   * called after an abort.
   */
  readonly closed: () => void
  readonly aborted?: () => void
}

/**
 * Asks the voters that a plan chooses, and resolves as soon as the plan has a verdict. Later
 * replies still reach the plan. The promise rejects when the signal aborts, and also after an error
 * that nobody foresaw: such a defect costs one read, and not the process.
 */
export function fanOut(options: FanOut, clock: Clock): Promise<Verdict> {
  return new RunningPlan(options, clock).start()
}

class RunningPlan implements Hearing {
  readonly #options: FanOut
  readonly #settled = Promise.withResolvers<Verdict>()
  readonly #awaited: Deadlines<number | typeof wholeRead>
  #isSettled = false

  constructor(options: FanOut, clock: Clock) {
    this.#options = options
    this.#awaited = new Deadlines(clock, (late) => (late === wholeRead ? this.#expire() : this.late(late)))
  }

  start(): Promise<Verdict> {
    const { signal, deadlineMs } = this.#options
    if (signal.aborted) this.failed(signal.reason)
    else this.#perform((plan) => plan.start(), 'first')
    if (!this.#isSettled) this.#awaited.add(wholeRead, deadlineMs)
    return this.#settled.promise
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
    this.#options.late?.(voter)
    this.#perform((plan) => plan.late(voter), 'hedge')
  }

  failed(reason: unknown): void {
    this.#stop()
    this.#options.aborted?.()
    this.#settled.reject(reason)
  }

  #perform(next: (plan: Plan) => readonly Action[], reason: AskReason): void {
    const { plan, lateMs } = this.#options
    let actions: readonly Action[]
    try {
      actions = next(plan)
    } catch (error) {
      return this.failed(error)
    }
    for (const action of actions) {
      switch (action.do) {
        case 'ask':
          if (!this.#isSettled && lateMs !== undefined) this.#awaited.add(action.voter, lateMs(action.voter))
          this.#options.ask(action.voter, this, reason)
          break
        case 'settle':
          this.#stop()
          this.#options.settled?.(this)
          this.#settled.resolve(action.verdict)
          break
        case 'close':
          this.#options.closed()
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
