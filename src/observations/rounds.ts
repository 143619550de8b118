import type { Clock } from '../lib/clock.ts'
import type { PeerComparison } from './peer-comparison.ts'

export interface RoundsDeps {
  readonly clock: Clock
  readonly comparison: PeerComparison
  readonly peers: number
  /** Called when a round failed, which is a bug: peers that do not answer are no failure. */
  readonly failed: (error: unknown) => void
}

/** Peers are asked this long after the end of an epoch, because their clocks may be behind. */
const settlingMs = 30_000
/** A round asks for this many epochs: the one that ended, and earlier ones that the peer has not given yet. */
const epochsInRound = 3

/** Closes each epoch when it is over, and then asks all peers for what they noted. */
export class Rounds implements AsyncDisposable {
  readonly #deps: RoundsDeps
  readonly #life = new AbortController()
  #cancel = () => {}
  #running: Promise<unknown> = Promise.resolve()

  constructor(deps: RoundsDeps) {
    this.#deps = deps
  }

  start(): void {
    const { clock, comparison } = this.#deps
    this.#cancel = clock.after(comparison.book.remainingMs + settlingMs, () => {
      comparison.book.roll()
      const ended = comparison.book.epoch - 1
      // A round ends before the next one begins, because all its requests have short time-outs.
      this.#running = Promise.all(
        Array.from({ length: this.#deps.peers }, (_, peer) => this.#askPeer(peer, ended)),
      )
      this.start()
    })
  }

  async #askPeer(peer: number, ended: number): Promise<void> {
    const { comparison, failed } = this.#deps
    const { signal } = this.#life
    try {
      for (let epoch = ended - epochsInRound + 1; epoch <= ended; epoch++)
        await comparison.fetch(peer, epoch, signal)
    } catch (error) {
      if (!signal.aborted) failed(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#cancel()
    this.#life.abort()
    await this.#running
  }
}
