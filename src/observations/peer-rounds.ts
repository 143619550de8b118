import type { Clock } from '../lib/clock.ts'
import type { PeerComparison } from './peer-comparison.ts'

export interface RoundsDeps {
  readonly clock: Clock
  readonly comparison: PeerComparison
  readonly peers: number
  readonly failed: (error: unknown) => void
}

/** The delay allows for peers whose clocks are behind. */
const settlingMs = 30_000
/**
 * A round asks for the epoch that has just ended, and for missing documents of the two epochs
 * before that one.
 */
const epochsInRound = 3

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
      comparison.book.closeEpochIfOver()
      const ended = comparison.book.epoch - 1
      // The previous round has ended: rounds are ten minutes apart, and a round has three requests
      // of at most ten seconds to each peer.
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
