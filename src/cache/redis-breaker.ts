import { afterArrivals } from '../lib/after-arrivals.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { CacheEvents } from './events.ts'
import { openRedis, type RedisClient } from './redis-client.ts'
import type { RedisTarget } from './redis-url.ts'

/**
 * The outcome of a command to Redis.
 * - `reply`: Redis answered without an error.
 * - `unsent`: the circuit breaker did not send the command.
 * - `late`: Redis did not answer in time.
 * - `broken`: the connection was lost.
 * - `refused`: Redis answered with an error.
 */
export type Attempt<T> =
  | { readonly kind: 'reply'; readonly value: T }
  | { readonly kind: 'unsent' }
  | { readonly kind: 'late' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'refused'; readonly message: string }

export interface RedisBreakerDeps {
  readonly clock: Clock
  readonly random: Random
  /** The size in bytes of the largest value that the daemon requests. */
  readonly largestValue: number
  /**
   * Called when the breaker first learns whether Redis answers, and at every change. While Redis does not
   * answer, it is called again when the reason changes. `detail` has the reason if there is an error, such as
   * a wrong password.
   */
  readonly up: CacheEvents['redisUp']
}

const deadlineMs = 50
const troubles = {
  late: `Redis gave no answer within ${deadlineMs} ms`,
  broken: 'the connection to Redis was lost',
} as const
const firstPauseMs = 100
const maxPauseMs = 5_000
/**
 * The maximum number of characters of an error that the breaker reports. The text comes from Redis, which
 * could otherwise fill the log.
 */
const longestReason = 200
/**
 * The maximum number of commands whose reply has not arrived, including those that timed out. While there are so many,
 * the breaker sends no further command.
 */
const maxOwed = 1_000

/**
 * A circuit breaker in front of Redis, for callers that cannot wait. No attempt lasts longer than 50 ms. After a late
 * or broken attempt, the breaker sends no command until Redis answers a ping or a new connection is ready. It pings
 * after a pause, which doubles from 100 ms to 5 s. So an outage delays only the callers whose commands were already
 * sent.
 */
export class RedisBreaker implements AsyncDisposable {
  readonly #client: RedisClient
  readonly #clock: Clock
  readonly #random: Random
  readonly #tell: RedisBreakerDeps['up']
  #up: boolean | undefined
  /** The reason that was reported last. Undefined while Redis answers. */
  #because: string | undefined
  /** The last error since Redis was ready. */
  #error: Error | undefined
  #owed = 0
  #pauseMs = firstPauseMs
  #cancelPing: (() => void) | undefined
  #closed = false

  constructor(target: RedisTarget, { clock, random, largestValue, up }: RedisBreakerDeps) {
    this.#clock = clock
    this.#random = random
    this.#tell = up
    this.#client = openRedis(target, random, {
      largestValue,
      outOfStep: (error) => {
        this.#error = error
        this.#say(false, error.message)
      },
    })
    this.#client.on('ready', () => this.#resume())
    this.#client.on('error', (error: Error) => this.#failed(error))
    this.#client.on('close', () => this.#say(false, this.#lost()))
  }

  async attempt<T>(command: (client: RedisClient) => Promise<T>): Promise<Attempt<T>> {
    if (!this.#isOpen()) return { kind: 'unsent' }
    const attempt = await this.#send(command)
    if (attempt.kind === 'late') this.#pause(troubles.late)
    if (attempt.kind === 'broken') this.#pause(this.#lost())
    return attempt
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    this.#cancelPing?.()
    this.#client.removeAllListeners('ready').removeAllListeners('close').removeAllListeners('error')
    this.#client.on('error', () => {})
    this.#client.disconnect()
  }

  #isOpen(): boolean {
    return this.#client.status === 'ready' && this.#cancelPing === undefined && this.#owed < maxOwed
  }

  #send<T>(command: (client: RedisClient) => Promise<T>): Promise<Attempt<T>> {
    this.#owed += 1
    return new Promise((resolve) => {
      const cancel = this.#clock.after(deadlineMs, () => afterArrivals(() => resolve({ kind: 'late' })))
      const settle = (attempt: Attempt<T>) => {
        this.#owed -= 1
        cancel()
        resolve(attempt)
      }
      command(this.#client).then(
        (value) => settle({ kind: 'reply', value }),
        (error: unknown) => settle(failure(error)),
      )
    })
  }

  /**
   * Records an error of the client. If there is no connection, reports the error at once as the reason why
   * Redis cannot be used. Otherwise the error is reported only if the connection closes.
   */
  #failed(error: Error): void {
    this.#error = error
    if (this.#client.status !== 'ready') this.#say(false, reason(error))
  }

  /** Returns why there is no connection. */
  #lost(): string {
    return reason(this.#error) ?? troubles.broken
  }

  #pause(because: string): void {
    if (this.#closed || this.#cancelPing !== undefined) return
    this.#say(false, because)
    this.#pingLater()
  }

  #pingLater(): void {
    const ms = this.#pauseMs * (0.5 + this.#random() / 2)
    this.#pauseMs = Math.min(maxPauseMs, this.#pauseMs * 2)
    this.#cancelPing = this.#clock.after(ms, () => void this.#ping())
  }

  async #ping(): Promise<void> {
    const answered = this.#client.status === 'ready' && answers(await this.#send((client) => client.ping()))
    if (this.#closed || this.#cancelPing === undefined) return
    if (answered) this.#resume()
    else this.#pingLater()
  }

  #resume(): void {
    this.#cancelPing?.()
    this.#cancelPing = undefined
    this.#pauseMs = firstPauseMs
    this.#error = undefined
    this.#say(true)
  }

  #say(up: boolean, because?: string): void {
    if (this.#up === up && (because === undefined || because === this.#because)) return
    this.#up = up
    this.#because = because
    if (because === undefined) this.#tell(up)
    else this.#tell(up, { because })
  }
}

/**
 * Returns the text of an error. The error of a Redis Cluster also contains the error of one of its servers,
 * which says more.
 */
function reason(error: (Error & { readonly lastNodeError?: Error }) | undefined): string | undefined {
  if (error === undefined) return undefined
  return [error.message, error.lastNodeError?.message].join(' ').trim().slice(0, longestReason)
}

function answers({ kind }: Attempt<unknown>): boolean {
  return kind === 'reply' || kind === 'refused'
}

function failure(error: unknown): Attempt<never> {
  if (error instanceof Error && error.name === 'ReplyError')
    return { kind: 'refused', message: error.message }
  return { kind: 'broken' }
}
