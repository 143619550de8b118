import { probes, type ReadId } from './reads.ts'

export interface SeenRequest {
  readonly read: ReadId
  readonly method: string
  readonly target: string
}

interface Waiter {
  readonly read: ReadId | undefined
  readonly resolve: (seen: SeenRequest) => void
  readonly reject: (reason: Error) => void
}

const kept = 256

export class RequestLog {
  readonly #counts = new Map<ReadId, number>()
  readonly #recent: SeenRequest[] = []
  #ledgerRequestCount = 0
  #waiting: Waiter[] = []

  record(seen: SeenRequest): void {
    this.#counts.set(seen.read, this.count(seen.read) + 1)
    const { read, target } = seen
    const isAsk = read === 'unknown' ? /^\/(api\/scan\/v\d|registry\/)/.test(target) : !probes.has(read)
    if (isAsk) this.#ledgerRequestCount++
    this.#recent.push(seen)
    if (this.#recent.length > kept) this.#recent.shift()
    if (this.#waiting.length > 0) this.#wake(seen)
  }

  /** The number of requests for ledger content, without probes such as `/version`. */
  get ledgerRequestCount(): number {
    return this.#ledgerRequestCount
  }

  count(read: ReadId): number {
    return this.#counts.get(read) ?? 0
  }

  recent(): readonly SeenRequest[] {
    return [...this.#recent]
  }

  next(read?: ReadId): Promise<SeenRequest> {
    const { promise, resolve, reject } = Promise.withResolvers<SeenRequest>()
    promise.catch(() => undefined)
    this.#waiting.push({ read, resolve, reject })
    return promise
  }

  close(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const { reject } of waiting) reject(new Error('the localnet is closed'))
  }

  #wake(seen: SeenRequest): void {
    this.#waiting = this.#waiting.filter(({ read, resolve }) => {
      if (read !== undefined && read !== seen.read) return true
      resolve(seen)
      return false
    })
  }
}
