import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import type { Random } from '../lib/random.ts'
import type { Params, Read } from '../reads/read.ts'
import { Ballots } from './ballots.ts'
import type { Connections } from './connections.ts'
import { type InquiryOptions, requestOf } from './inquiry.ts'
import type { RosterVoter } from './roster.ts'

/** A vote that contradicted what was agreed. */
export interface Dissent {
  readonly voter: RosterVoter
  readonly read: Read
  readonly params: Params
  /** Digest of the canonical form of what was agreed. */
  readonly agreed: string
  readonly file: (as: 'dissent' | 'lag') => void
}

export interface RechecksDeps {
  /** Told how many of a voter's dissents are not looked into yet, when that changes. */
  readonly pending: (voter: RosterVoter, count: number) => void
  readonly clock: Clock
  readonly random: Random
  readonly connections: Connections
  /** Digest of the canonical form of what a quorum agrees on now; undefined where it does not. */
  readonly agreedNow: (read: Read, params: Params, signal: AbortSignal) => Promise<string | undefined>
}

/** Between 2 and 60 s (quorum.md 13): late enough for a few seconds of lag, early enough to be of use. */
const earliestMs = 6_000
const latestMs = 10_000
/** Of one voter at a time; further dissents are filed as one of these is. */
const mostPerVoter = 8
const mostFollowers = 1_000

interface Waiting {
  readonly dissent: Dissent
  readonly followers: Dissent[]
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
    const entry = { dissent, followers: [] }
    waiting.push(entry)
    this.#tellPending(dissent.voter)
    const { clock, random } = this.#deps
    clock.after(earliestMs + random() * (latestMs - earliestMs), () => void this.#recheck(name, entry))
  }

  [Symbol.dispose](): void {
    this.#closing.abort()
    this.#waiting.clear()
  }

  async #recheck(name: string, entry: Waiting): Promise<void> {
    if (this.#closing.signal.aborted) return
    try {
      const as = (await this.#wasLate(entry.dissent)) ? 'lag' : 'dissent'
      for (const { file } of [entry.dissent, ...entry.followers]) file(as)
    } catch {
      // The only rejection is our own abort while closing.
    } finally {
      const left = this.#waiting.get(name)?.filter((other) => other !== entry) ?? []
      if (left.length > 0) this.#waiting.set(name, left)
      else this.#waiting.delete(name)
      this.#tellPending(entry.dissent.voter)
    }
  }

  #tellPending(voter: RosterVoter): void {
    const waiting = this.#waiting.get(voter.names[0] as string) ?? []
    this.#deps.pending(
      voter,
      waiting.reduce((sum, { followers }) => sum + 1 + followers.length, 0),
    )
  }

  async #wasLate({ voter, read, params, agreed }: Dissent): Promise<boolean> {
    const { connections, agreedNow } = this.#deps
    const { signal } = this.#closing
    const response = await connections.find(voter)?.ask(requestOf(read, params, this.#options), signal)
    if (response?.kind !== 'response') return false
    const ballots = new Ballots(read, params, this.#options.absentTexts[read.id])
    const { reply } = ballots.hear(0, response.status, response.body)
    response.release()
    if (reply.kind !== 'value' && reply.kind !== 'refusal') return false
    const said = digest(ballots.canonical(reply.vote))
    return said === agreed || said === (await agreedNow(read, params, signal))
  }
}
