import type { Clock } from '../lib/clock.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Connection } from './connections.ts'
import type { PeerCriteria } from './peer-selection.ts'

/**
 * Delays each request of one read until the rate limit permits it, and until the pause that the
 * scan asked for is over.
 */
export class Turns {
  readonly #connections: readonly (Connection | undefined)[]
  readonly #wanted: PeerCriteria
  readonly #clock: Clock
  readonly #waiting = new Map<number, () => void>()
  /**
   * The voters whose reply to this read asked for a pause. The daemon asks each of them again after
   * the pause, but only once.
   */
  readonly #putOff = new Set<number>()

  constructor(connections: readonly (Connection | undefined)[], wanted: PeerCriteria, clock: Clock) {
    this.#connections = connections
    this.#wanted = wanted
    this.#clock = clock
  }

  waitMs(voter: number, now = this.#clock.now()): number {
    return this.#connections[voter]?.rateLimit.waitMs(this.#wanted.ingress, now) ?? 0
  }

  lateMs(voter: number): number {
    return this.waitMs(voter) + (this.#connections[voter]?.health.lateMs(this.#wanted.kind) ?? 0)
  }

  mustWait(voter: number, deadline: number): boolean {
    const refuses = this.#connections[voter]?.rateLimit.refuses(this.#wanted.ingress) === true
    return refuses && this.#isTimeFor(voter, deadline)
  }

  /**
   * Whether the voter asked for a pause that ends early enough for a second request before the
   * deadline. True at most once for each voter and read.
   */
  mayPutOff(voter: number, deadline: number): boolean {
    const isPaused = this.#connections[voter]?.rateLimit.isPaused === true
    return isPaused && !this.#putOff.has(voter) && this.#isTimeFor(voter, deadline)
  }

  wait(voter: number, ask: () => void): void {
    const cancel = this.#clock.after(this.waitMs(voter), () => {
      this.#waiting.delete(voter)
      ask()
    })
    this.#waiting.set(voter, cancel)
  }

  putOff(voter: number, ask: () => void): void {
    this.#putOff.add(voter)
    this.wait(voter, ask)
  }

  /**
   * Cancels the requests that still wait. Returns their voters, each with the fault that counts as
   * its reply.
   */
  stop(): readonly (readonly [voter: number, reply: Reply])[] {
    for (const cancel of this.#waiting.values()) cancel()
    const voters = [...this.#waiting.keys()]
    this.#waiting.clear()
    return voters.map((voter) => [
      voter,
      { kind: 'fault', fault: this.#putOff.has(voter) ? 'rate-limited' : 'held-back' },
    ])
  }

  #isTimeFor(voter: number, deadline: number): boolean {
    return this.#clock.now() + this.lateMs(voter) <= deadline
  }
}
