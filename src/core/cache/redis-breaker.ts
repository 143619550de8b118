import { afterArrivals } from '../../base/lib/after-arrivals.ts'
import type { Clock } from '../../base/lib/clock.ts'
import type { Random } from '../../base/lib/random.ts'
import type { RedisTarget } from '../../base/lib/redis-url.ts'
import type { CacheEvents } from './events.ts'
import { openRedis, type RedisClient } from './redis-client.ts'

/**
 * The outcome of a command to Redis.
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
 * The maximum length of a reported error. Redis chooses that text, and could otherwise fill the
 * log.
 */
const longestReason = 200
/**
 * The maximum number of commands without a reply, including those that timed out. At this number,
 * the breaker sends no further command.
 */
const maxOwed = 1_000

/**
 * A circuit breaker for Redis: no caller waits longer than 50 ms for a command. After a late or
 * broken command, the breaker sends only pings, until Redis answers one or a new connection is
 * ready. The pause before a ping doubles from 100 ms to 5 s.
 */
export class RedisBreaker implements AsyncDisposable {
  readonly #client: RedisClient
  readonly #clock: Clock
  readonly #random: Random
  readonly #tell: RedisBreakerDeps['up']
  #up: boolean | undefined
  #because: string | undefined
  #error: Error | undefined
  #owed = 0
  /** Whether the client reconnects to find a new master. Redis then counts as up. */
  #isLeaving = false
  #pauseMs = firstPauseMs
  #cancelPing: (() => void) | undefined
  #closed = false

  constructor(target: RedisTarget, { clock, random, up }: RedisBreakerDeps) {
    this.#clock = clock
    this.#random = random
    this.#tell = up
    this.#client = openRedis(target, random, {
      leaving: () => {
        this.#isLeaving = true
      },
    })
    this.#client.on('ready', () => this.#resume())
    this.#client.on('error', (error: Error) => this.#failed(error))
    this.#client.on('close', () => {
      if (!this.#isLeaving) this.#say(false, this.#lost())
    })
  }

  async attempt<T>(command: (client: RedisClient) => Promise<T>): Promise<Attempt<T>> {
    if (!this.#isOpen()) return { kind: 'unsent' }
    const attempt = await this.#send(command)
    if (attempt.kind === 'late') this.#pause(troubles.late)
    if (attempt.kind === 'broken' && !this.#isLeaving) this.#pause(this.#lost())
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

  #failed(error: Error): void {
    this.#error = error
    this.#isLeaving = false
    if (this.#client.status !== 'ready') this.#say(false, reason(error))
  }

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
    this.#isLeaving = false
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

function reason(error: (Error & { readonly lastNodeError?: Error }) | undefined): string | undefined {
  if (error === undefined) return undefined
  // ioredis names the length of its pause, which differs each time.
  const message = error.message.replace(/ Retrying from scratch after [\d.]+ms\./, '')
  return [message, error.lastNodeError?.message].join(' ').trim().slice(0, longestReason)
}

function answers({ kind }: Attempt<unknown>): boolean {
  return kind === 'reply' || kind === 'refused'
}

function failure(error: unknown): Attempt<never> {
  const message = refusalIn(error)
  return message === undefined ? { kind: 'broken' } : { kind: 'refused', message }
}

/** Returns the error that Redis answered to a command; undefined if Redis did not answer. */
export function refusalIn(error: unknown): string | undefined {
  const isAnswer = error instanceof Error && error.name === 'ReplyError'
  return isAnswer ? error.message.slice(0, longestReason) : undefined
}
