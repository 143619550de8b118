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
  #requests: Waiter[] = []
  #hangUps: Waiter[] = []

  record(seen: SeenRequest): void {
    this.#counts.set(seen.read, this.count(seen.read) + 1)
    if (isAsk(seen)) this.#ledgerRequestCount++
    this.#recent.push(seen)
    if (this.#recent.length > kept) this.#recent.shift()
    if (this.#requests.length > 0) this.#requests = wake(this.#requests, seen)
  }

  recordHangUp(seen: SeenRequest): void {
    this.#hangUps = wake(this.#hangUps, seen)
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
    return wait(this.#requests, read)
  }

  nextHangUp(read?: ReadId): Promise<SeenRequest> {
    return wait(this.#hangUps, read)
  }

  close(): void {
    const waiters = [...this.#requests, ...this.#hangUps]
    this.#requests = []
    this.#hangUps = []
    for (const { reject } of waiters) reject(new Error('the localnet is closed'))
  }
}

function isAsk({ read, target }: SeenRequest): boolean {
  return read === 'unknown' ? /^\/(api\/scan\/v\d|registry\/)/.test(target) : !probes.has(read)
}

function wait(waiters: Waiter[], read: ReadId | undefined): Promise<SeenRequest> {
  const { promise, resolve, reject } = Promise.withResolvers<SeenRequest>()
  promise.catch(() => undefined)
  waiters.push({ read, resolve, reject })
  return promise
}

function wake(waiters: readonly Waiter[], seen: SeenRequest): Waiter[] {
  return waiters.filter(({ read, resolve }) => {
    if (read !== undefined && read !== seen.read) return true
    resolve(seen)
    return false
  })
}
