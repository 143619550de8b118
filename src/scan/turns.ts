import type { Clock } from '../lib/clock.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Connection } from './connections.ts'
import type { Wanted } from './selection.ts'

/**
 * The voters of one read that wait to be asked, because of their rate limit or a pause that they asked for.
 */
export class Turns {
  readonly #connections: readonly (Connection | undefined)[]
  readonly #wanted: Wanted
  readonly #clock: Clock
  /** The function that cancels the wait of a voter, by voter. */
  readonly #waiting = new Map<number, () => void>()
  /** Voters that answered this read by asking for a pause, and are asked again after it. */
  readonly #putOff = new Set<number>()

  /** @param connections by voter index. */
  constructor(connections: readonly (Connection | undefined)[], wanted: Wanted, clock: Clock) {
    this.#connections = connections
    this.#wanted = wanted
    this.#clock = clock
  }

  /** Milliseconds until the voter may be asked. */
  waitMs(voter: number): number {
    return this.#connections[voter]?.rateLimit.waitMs(this.#wanted.ingress) ?? 0
  }

  /** Milliseconds from now, including its wait, after which the voter's reply is late. */
  lateMs(voter: number): number {
    return this.waitMs(voter) + (this.#connections[voter]?.health.lateMs(this.#wanted.kind) ?? 0)
  }

  /** Whether the voter must wait, and its turn comes early enough for its reply to count. */
  mustWait(voter: number, deadline: number): boolean {
    const refuses = this.#connections[voter]?.rateLimit.refuses(this.#wanted.ingress) === true
    return refuses && this.#isTimeFor(voter, deadline)
  }

  /**
   * Whether the voter asked for a pause that leaves enough time to ask again. True at most once per voter and
   * read.
   */
  mayPutOff(voter: number, deadline: number): boolean {
    const isPaused = this.#connections[voter]?.rateLimit.isPaused === true
    return isPaused && !this.#putOff.has(voter) && this.#isTimeFor(voter, deadline)
  }

  /** Calls `ask` when the voter's turn comes. */
  wait(voter: number, ask: () => void): void {
    const cancel = this.#clock.after(this.waitMs(voter), () => {
      this.#waiting.delete(voter)
      ask()
    })
    this.#waiting.set(voter, cancel)
  }

  /** Calls `ask` when the pause that the voter asked for is over. */
  putOff(voter: number, ask: () => void): void {
    this.#putOff.add(voter)
    this.wait(voter, ask)
  }

  /** Ends all waits. Returns the waiting voters, each with the reply that counts for it. */
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
