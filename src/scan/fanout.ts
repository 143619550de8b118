import type { Clock } from '../lib/clock.ts'
import { Deadlines } from '../lib/deadlines.ts'
import type { Action, Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { AskReason } from '../telemetry/traces.ts'

/** Receives the outcome of each request of one fan-out. */
export interface Hearing {
  /** Called with the reply of a voter. A request that failed has a fault as its reply. */
  heard(voter: number, reply: Reply): void
  /**
   * Called when the voter asked for a pause. After the pause, the daemon asks the voter again, and passes its
   * next reply to `heard`.
   */
  paused(voter: number): void
  failed(reason: unknown): void
}

export interface FanOut {
  readonly plan: Plan
  readonly ask: (voter: number, hearing: Hearing, reason: AskReason) => void
  /** Returns the milliseconds from now after which a reply of this voter is late. */
  readonly lateMs: (voter: number) => number
  readonly late?: (voter: number) => void
  readonly deadlineMs: number
  readonly signal: AbortSignal
  /** Called once, when the verdict is known and before the promise of `fanOut` resolves. */
  readonly settled?: () => void
  /** Called once, when there is a verdict and no request is in flight any more. Not called after an abort. */
  readonly closed: () => void
  readonly aborted?: () => void
}

/**
 * Asks the voters that a plan chooses, and hands their replies to the plan. Resolves as soon as the plan has
 * a verdict. Later replies still reach the plan, each within its own time-out. Rejects only when the signal
 * aborts.
 */
export function fanOut(options: FanOut, clock: Clock): Promise<Verdict> {
  return new Promise((resolve, reject) => new Performance(options, clock, { resolve, reject }).start())
}

interface Outcome {
  resolve(verdict: Verdict): void
  reject(reason: unknown): void
}

class Performance implements Hearing {
  readonly #options: FanOut
  readonly #clock: Clock
  readonly #promise: Outcome
  /** The voters that were asked and have not replied, each with the time after which its reply is late. */
  readonly #awaited: Deadlines<number>
  #isOver = false
  #cancelDeadline = nothing

  constructor(options: FanOut, clock: Clock, promise: Outcome) {
    this.#options = options
    this.#clock = clock
    this.#promise = promise
    this.#awaited = new Deadlines(clock, (voter) => this.#late(voter))
  }

  start(): void {
    const { signal, plan, deadlineMs } = this.#options
    if (signal.aborted) return this.failed(signal.reason)
    this.#cancelDeadline = this.#clock.after(deadlineMs, () => this.#perform(plan.expire(), 'more'))
    this.#perform(plan.start(), 'first')
  }

  heard(voter: number, reply: Reply): void {
    this.#awaited.remove(voter)
    this.#perform(this.#options.plan.reply(voter, reply), 'more')
  }

  paused(voter: number): void {
    this.#awaited.remove(voter)
    this.#perform(this.#options.plan.paused(voter), 'more')
  }

  failed(reason: unknown): void {
    this.#stop()
    this.#options.aborted?.()
    this.#promise.reject(reason)
  }

  #perform(actions: readonly Action[], reason: AskReason): void {
    for (const action of actions) {
      switch (action.do) {
        case 'ask':
          this.#expect(action.voter)
          this.#options.ask(action.voter, this, reason)
          break
        case 'settle':
          this.#stop()
          this.#options.settled?.()
          this.#promise.resolve(action.verdict)
          break
        case 'close':
          this.#options.closed()
          break
      }
    }
  }

  #expect(voter: number): void {
    if (!this.#isOver) this.#awaited.add(voter, this.#options.lateMs(voter))
  }

  #late(voter: number): void {
    this.#options.late?.(voter)
    this.#perform(this.#options.plan.late(voter), 'hedge')
  }

  #stop(): void {
    this.#isOver = true
    this.#cancelDeadline()
    this.#awaited.clear()
  }
}

const nothing = () => {}
