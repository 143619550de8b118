import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Params, Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connection, Connections } from './connections.ts'
import type { Outcome } from './evidence-log.ts'
import { type InquiryOptions, requestOf } from './inquiry.ts'
import type { JudgeThread } from './judge-thread.ts'
import type { ScanRequest, ScanResponse } from './node.ts'
import { ingressOf } from './pace.ts'
import type { RosterVoter } from './roster.ts'

/** A vote that contradicted what was agreed. */
export interface Dissent {
  readonly voter: RosterVoter
  readonly read: Read
  readonly params: Params
  /** Digest of the canonical form of what was agreed. */
  readonly agreed: string
  readonly file: (as: Outcome) => void
}

export interface RechecksDeps {
  /** Told how many of a voter's dissents are not looked into yet, when that changes. */
  readonly pending: (voter: RosterVoter, count: number) => void
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  readonly judge: JudgeThread
  /** Digest of the canonical form of what a quorum agrees on now; undefined where it does not. */
  readonly agreedNow: (read: Read, params: Params, signal: AbortSignal) => Promise<string | undefined>
}

/** Between 2 and 60 s (quorum.md 13): late enough for a few seconds of lag, early enough to be of use. */
const earliestMs = 6_000
const latestMs = 10_000
/** Whoever may not be asked by then is waited for until so long after its dissent, and asked at most once in so long. */
const lastMs = 60_000
const againMs = 1_000
/** Of one voter at a time; further dissents are filed as one of these is. */
const mostPerVoter = 8
const mostFollowers = 1_000

interface Waiting {
  readonly dissent: Dissent
  readonly followers: Dissent[]
  /** By the clock. */
  readonly lastAt: number
}

/**
 * Lag is not a lie: a dissenter is asked once more, some seconds later, and if it then gives what was agreed, then or
 * by now, its dissent is filed as lag (quorum.md 13). Bounded: a liar cannot double the load by dissenting often.
 */
export class Rechecks implements Disposable {
  readonly #options: InquiryOptions
  readonly #deps: RechecksDeps
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #closing = new AbortController()

  constructor(options: InquiryOptions, deps: RechecksDeps) {
    this.#options = options
    this.#deps = deps
  }

  add(dissent: Dissent): void {
    if (this.#closing.signal.aborted) return
    const name = dissent.voter.names[0] as string
    const waiting = this.#waiting.get(name) ?? []
    this.#waiting.set(name, waiting)
    const last = waiting.at(-1)
    if (waiting.length >= mostPerVoter && last !== undefined) {
      if (last.followers.length < mostFollowers) last.followers.push(dissent)
      this.#tellPending(dissent.voter)
      return
    }
    const { clock, random } = this.#deps
    const entry = { dissent, followers: [], lastAt: clock.now() + lastMs }
    waiting.push(entry)
    this.#tellPending(dissent.voter)
    this.#after(earliestMs + random() * (latestMs - earliestMs), name, entry)
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#waiting.clear()
  }

  #after(ms: number, name: string, entry: Waiting): void {
    this.#deps.clock.after(ms, () => void this.#recheck(name, entry))
  }

  async #recheck(name: string, entry: Waiting): Promise<void> {
    if (this.#closing.signal.aborted) return
    const { dissent, followers, lastAt } = entry
    const connection = this.#deps.connections.find(dissent.voter)
    try {
      const response = await this.#tryAsk(dissent, connection)
      if (response === undefined && connection !== undefined) {
        const turnMs = Math.max(againMs, connection.pace.waitMs(ingressOf(this.#requestOf(dissent))))
        if (this.#deps.clock.now() + turnMs <= lastAt) return this.#after(turnMs, name, entry)
      }
      const as = response === undefined ? 'unchecked' : await this.#outcomeOf(dissent, response)
      for (const { file } of [dissent, ...followers]) file(as)
      this.#forget(name, entry)
    } catch {
      // The only rejection is our own abort while closing.
    }
  }

  #forget(name: string, entry: Waiting): void {
    const left = this.#waiting.get(name)?.filter((other) => other !== entry) ?? []
    if (left.length > 0) this.#waiting.set(name, left)
    else this.#waiting.delete(name)
    this.#tellPending(entry.dissent.voter)
  }

  #tellPending(voter: RosterVoter): void {
    const waiting = this.#waiting.get(voter.names[0] as string) ?? []
    this.#deps.pending(
      voter,
      waiting.reduce((sum, { followers }) => sum + 1 + followers.length, 0),
    )
  }

  #requestOf({ read, params }: Dissent): ScanRequest {
    return requestOf(read, params, this.#options)
  }

  /** Undefined where the node was not asked, or asked for a pause. */
  async #tryAsk(dissent: Dissent, connection: Connection | undefined): Promise<ScanResponse | undefined> {
    const response = await connection?.ask(this.#requestOf(dissent), this.#closing.signal)
    if (response?.kind === 'fault')
      return response.fault === 'busy' || response.fault === 'held-back' ? undefined : response
    const isPause = (response?.status === 429 || response?.status === 503) && connection?.pace.isPaused
    if (!isPause) return response
    response?.release()
    return undefined
  }

  async #outcomeOf({ read, params, agreed }: Dissent, response: ScanResponse): Promise<Outcome> {
    if (response.kind === 'fault') return 'dissent'
    const { judge } = this.#deps
    const ballots = new Ballots(read, params, { absentTexts: this.#options.absentTexts[read.id], judge })
    const { reply } = await ballots.hear(0, response.status, response.body)
    response.release()
    if (reply.kind !== 'value' && reply.kind !== 'refusal') return 'dissent'
    await ballots.compare()
    const said = ballots.statement(reply.vote).comparison?.digest
    if (said === agreed) return 'lag'
    const now = await this.#deps.agreedNow(read, params, this.#closing.signal)
    if (now === undefined) return 'unchecked'
    return said === now ? 'lag' : 'dissent'
  }
}
