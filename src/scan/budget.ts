/** What one node may use: asks on the wire, and bytes of body in memory. */
export interface Share {
  readonly slots: number
  readonly bytes: number
}

/**
 * The global amounts divided by the number of voters, so that a node that hangs or floods uses up its own
 * part and nobody else's. Never less than one ask.
 */
export function shareOf(total: { maxInFlight: number; maxBufferedBytes: number }, voters: number): Share {
  const parts = Math.max(1, voters)
  return {
    slots: Math.max(1, Math.floor(total.maxInFlight / parts)),
    bytes: Math.max(1, Math.floor(total.maxBufferedBytes / parts)),
  }
}

/** An ask that wants room: one slot, and `bytes` to start with. */
export interface Claim {
  readonly bytes: number
  /** Called once, when an ask that was told `waiting` has got its room. */
  admitted(): void
}

/** A body that does not fit into what its ask started with. */
export interface Growing {
  readonly held: number
  /** Beyond `held`; 0 where it waits for nothing. */
  readonly wanted: number
  /** Called when what it waited for is taken. */
  granted(): void
}

/** For each slot this many claims may wait; those beyond are turned away at once. */
const waitingPerSlot = 4

/**
 * The room of one node, in slots and bytes (quorum.md#cost-is-bounded). A claim takes a slot and its first bytes before
 * its ask starts, and more as its body grows. The slot comes back when the transport is done with the ask, the bytes
 * when the body is let go; what a body did not need comes back as soon as its length is known.
 *
 * Bodies go before claims, and both in order of arrival. The first of the bodies may go on wherever the others are
 * within the share, so that they never all wait for each other, and what is reserved never exceeds the share by more
 * than one body. With nothing reserved one claim is always admitted, also one that is larger than the whole share.
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

  /** How many bodies wait for room. */
  get paused(): number {
    return this.#growing.values().reduce((sum, { wanted }) => (wanted > 0 ? sum + 1 : sum), 0)
  }

  /** `admitted` has the room now, without a call to `claim.admitted`; `full` has nothing and waits for nothing. */
  request(claim: Claim): 'admitted' | 'waiting' | 'full' {
    if (this.#waiting.size === 0 && this.#firstToWait() === undefined && this.#fits(claim.bytes)) {
      this.#take(claim.bytes)
      return 'admitted'
    }
    if (this.#waiting.size >= this.#share.slots * waitingPerSlot) return 'full'
    this.#waiting.add(claim)
    return 'waiting'
  }

  /** Takes a waiting claim out of the line. */
  withdraw(claim: Claim): void {
    if (this.#waiting.delete(claim)) this.#serve()
  }

  /** Whether what the body wants is taken now, without a call to `body.granted`. */
  grow(body: Growing): boolean {
    this.#growing.add(body)
    if (this.#firstToWait() !== body || !this.#mayGrow(body)) return false
    this.#reservedBytes += body.wanted
    return true
  }

  /** The body wants no more; it frees what it holds by itself. */
  leave(body: Growing): void {
    this.#growing.delete(body)
  }

  freeSlot(): void {
    this.#inFlight--
    this.#serve()
  }

  freeBytes(count: number): void {
    this.#reservedBytes -= count
    this.#serve()
  }

  /** A smaller share takes nothing back: what is over is used up as asks end. */
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

/** The budgets of all nodes, which have equal shares of the whole. */
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

  /** From now on the whole is divided among this many. */
  divide(voters: number): void {
    this.#share = shareOf(this.#total, voters)
    for (const budget of this.#open) budget.resize(this.#share)
  }

  get inFlight(): number {
    return this.#open.values().reduce((sum, budget) => sum + budget.inFlight, 0)
  }

  get reservedBytes(): number {
    return this.#open.values().reduce((sum, budget) => sum + budget.reservedBytes, 0)
  }
}
