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

/** An ask that wants room: one slot and `bytes`. */
export interface Claim {
  readonly bytes: number
  /** Called once, when an ask that was told `waiting` has got its room. */
  admitted(): void
}

/** For each slot this many claims may wait; those beyond are turned away at once. */
const waitingPerSlot = 4

/**
 * The room of one node, in slots and bytes (quorum.md 21). A claim takes both before its ask starts. The slot
 * comes back when the transport is done with the ask, the bytes when the body is let go; what a body did not
 * need comes back as soon as its length is known. Claims wait in order of arrival. With nothing reserved one
 * claim is always admitted, also one that is larger than the whole share.
 */
export class Budget {
  #share: Share
  #inFlight = 0
  #reservedBytes = 0
  readonly #waiting = new Set<Claim>()

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

  /** `admitted` has the room now, without a call to `claim.admitted`; `full` has nothing and waits for nothing. */
  request(claim: Claim): 'admitted' | 'waiting' | 'full' {
    if (this.#waiting.size === 0 && this.#fits(claim.bytes)) {
      this.#take(claim.bytes)
      return 'admitted'
    }
    if (this.#waiting.size >= this.#share.slots * waitingPerSlot) return 'full'
    this.#waiting.add(claim)
    return 'waiting'
  }

  /** Takes a waiting claim out of the line. */
  withdraw(claim: Claim): void {
    if (this.#waiting.delete(claim)) this.#admit()
  }

  freeSlot(): void {
    this.#inFlight--
    if (this.#waiting.size > 0) this.#admit()
  }

  freeBytes(count: number): void {
    this.#reservedBytes -= count
    if (this.#waiting.size > 0) this.#admit()
  }

  /** A smaller share takes nothing back: what is over is used up as asks end. */
  resize(share: Share): void {
    this.#share = share
    this.#admit()
  }

  #fits(bytes: number): boolean {
    if (this.#inFlight >= this.#share.slots) return false
    return this.#reservedBytes === 0 || this.#reservedBytes + bytes <= this.#share.bytes
  }

  #take(bytes: number): void {
    this.#inFlight++
    this.#reservedBytes += bytes
  }

  #admit(): void {
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
