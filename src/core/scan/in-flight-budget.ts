/** The limits of one scan node: requests in flight (slots), and bytes of bodies in memory. */
export interface Share {
  readonly slots: number
  readonly bytes: number
}

/**
 * Divides the global limits by the number of nodes, so that a node that hangs or floods uses up
 * only its own share.
 */
export function shareOf(total: { maxInFlight: number; maxBufferedBytes: number }, nodes: number): Share {
  const parts = Math.max(1, nodes)
  return {
    slots: Math.max(1, Math.floor(total.maxInFlight / parts)),
    bytes: Math.max(1, Math.floor(total.maxBufferedBytes / parts)),
  }
}

export interface Claim {
  readonly bytes: number
  /** Called once, when the claim is admitted, if `request` returned `waiting`. */
  admitted(): void
}

/**
 * A body that needs more bytes than its request reserved at the start. `held` bytes are reserved
 * for the body already.
 */
export interface Growing {
  readonly held: number
  readonly wanted: number
  granted(): void
}

/**
 * The maximum number of requests that wait for each slot; the budget rejects further requests at
 * once. A waiting request occupies less than a kilobyte, and leaves the queue when it times out.
 */
export const waitingPerSlot = 16

/**
 * Limits the resources of one node to its share: slots for requests, and bytes of memory for bodies
 * (quorum.md#cost-is-bounded). Bodies that wait for more bytes have priority over requests (claims)
 * that wait to start.
 *
 * Two exceptions prevent a deadlock:
 * - The body that began to grow first may exceed the share, if everything else that is reserved
 *   fits into the share. Otherwise all bodies could wait for each other.
 * - If nothing is reserved and a slot is free, one request is admitted even if it needs more bytes
 *   than the whole share.
 */
export class Budget {
  #share: Share
  #inFlight = 0
  #reservedBytes = 0
  readonly #waiting = new Set<Claim>()
  readonly #growing = new Set<Growing>()

  constructor(share: Share) {
    this.#share = share
  }

  get share(): Share {
    return this.#share
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get reservedBytes(): number {
    return this.#reservedBytes
  }

  get waiting(): number {
    return this.#waiting.size
  }

  get paused(): number {
    return this.#growing.values().reduce((sum, { wanted }) => (wanted > 0 ? sum + 1 : sum), 0)
  }

  request(claim: Claim): 'admitted' | 'waiting' | 'full' {
    if (this.#waiting.size === 0 && this.#firstToWait() === undefined && this.#fits(claim.bytes)) {
      this.#take(claim.bytes)
      return 'admitted'
    }
    if (this.#waiting.size >= this.#share.slots * waitingPerSlot) return 'full'
    this.#waiting.add(claim)
    return 'waiting'
  }

  withdraw(claim: Claim): void {
    if (this.#waiting.delete(claim)) this.#serve()
  }

  /**
   * Returns true if the wanted bytes are reserved. Otherwise the body waits, and `body.granted` is
   * called later.
   */
  grow(body: Growing): boolean {
    this.#growing.add(body)
    if (this.#firstToWait() !== body || !this.#mayGrow(body)) return false
    this.#reservedBytes += body.wanted
    return true
  }

  freeSlot(): void {
    this.#inFlight--
    this.#serve()
  }

  /** @param body if given, it needs no more bytes. */
  freeBytes(count: number, body?: Growing): void {
    if (body !== undefined) this.#growing.delete(body)
    this.#reservedBytes -= count
    this.#serve()
  }

  resize(share: Share): void {
    this.#share = share
    this.#serve()
  }

  #fits(bytes: number): boolean {
    if (this.#inFlight >= this.#share.slots) return false
    return this.#reservedBytes === 0 || this.#reservedBytes + bytes <= this.#share.bytes
  }

  #take(bytes: number): void {
    this.#inFlight++
    this.#reservedBytes += bytes
  }

  #firstToWait(): Growing | undefined {
    return this.#growing.size === 0 ? undefined : this.#growing.values().find(({ wanted }) => wanted > 0)
  }

  #mayGrow(body: Growing): boolean {
    const { bytes } = this.#share
    if (this.#reservedBytes + body.wanted <= bytes) return true
    const [first] = this.#growing
    return body === first && this.#reservedBytes - body.held <= bytes
  }

  #serve(): void {
    for (let body = this.#firstToWait(); body !== undefined; body = this.#firstToWait()) {
      if (!this.#mayGrow(body)) return
      this.#reservedBytes += body.wanted
      body.granted()
    }
    if (this.#waiting.size === 0) return
    for (const claim of this.#waiting) {
      if (!this.#fits(claim.bytes)) return
      this.#waiting.delete(claim)
      this.#take(claim.bytes)
      claim.admitted()
    }
  }
}

export class Budgets {
  readonly #total: { readonly maxInFlight: number; readonly maxBufferedBytes: number }
  readonly #open = new Set<Budget>()
  #share: Share

  constructor(total: { readonly maxInFlight: number; readonly maxBufferedBytes: number }) {
    this.#total = total
    this.#share = shareOf(total, 1)
  }

  open(): Budget {
    const budget = new Budget(this.#share)
    this.#open.add(budget)
    return budget
  }

  close(budget: Budget): void {
    this.#open.delete(budget)
  }

  divide(nodes: number): void {
    this.#share = shareOf(this.#total, nodes)
    for (const budget of this.#open) budget.resize(this.#share)
  }

  get inFlight(): number {
    return this.#open.values().reduce((sum, budget) => sum + budget.inFlight, 0)
  }

  get reservedBytes(): number {
    return this.#open.values().reduce((sum, budget) => sum + budget.reservedBytes, 0)
  }
}
