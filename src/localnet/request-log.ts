import { EventEmitter, once } from 'node:events'
import { probes, type ReadId } from './reads.ts'

export interface SeenRequest {
  readonly read: ReadId
  readonly method: string
  readonly target: string
}

const kept = 256

export class RequestLog {
  readonly #counts = new Map<ReadId, number>()
  readonly #recent: SeenRequest[] = []
  readonly #seen = new EventEmitter()
  #ledgerRequestCount = 0

  record(seen: SeenRequest): void {
    this.#counts.set(seen.read, this.count(seen.read) + 1)
    const { read, target } = seen
    const isAsk = read === 'unknown' ? /^\/(api\/scan\/v\d|registry\/)/.test(target) : !probes.has(read)
    if (isAsk) this.#ledgerRequestCount++
    this.#recent.push(seen)
    if (this.#recent.length > kept) this.#recent.shift()
    this.#seen.emit(read, seen)
    this.#seen.emit('any', seen)
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

  async next(read: ReadId | 'any' = 'any'): Promise<SeenRequest> {
    const [seen] = await once(this.#seen, read)
    return seen
  }
}
