const minimumCapacity = 16_384

/** How much memory beyond a quarter more than its own size a body may hold on to: the headers it came with, mostly. */
const toleratedSlack = 4096

const nothing = Buffer.alloc(0)

/** The most that a body may be, and what it was announced to be, which is not more. */
export interface Lengths {
  readonly maxBytes: number
  readonly expected?: number | undefined
}

/**
 * A body as it arrives, never more than `maxBytes` of it. With `alike` it is compared with other bodies as it arrives,
 * and kept only where it says something new.
 */
export class BodyCollector {
  readonly #lengths: Lengths
  readonly #alike: AlikeBodies | undefined
  #branch: Branch | undefined
  #length = 0
  #size = 0

  constructor(lengths: Lengths, alike?: AlikeBodies) {
    this.#lengths = lengths
    this.#alike = alike
  }

  get maxBytes(): number {
    return this.#lengths.maxBytes
  }

  /** How much memory it takes up with this chunk, alone; undefined where that would lead beyond the limit. */
  sizeWith(chunk: Buffer): number | undefined {
    const length = this.#length + chunk.length
    if (length > this.#lengths.maxBytes) return undefined
    if (length > this.#size) this.#size = this.#length === 0 ? length : capacityFor(length, this.#lengths)
    return this.#size
  }

  /** False, and nothing kept, where the chunk would lead beyond the limit. */
  add(chunk: Buffer): boolean {
    const at = this.#length
    if (at + chunk.length > this.#lengths.maxBytes) return false
    const before = this.#branch
    const branch = before?.admits(chunk, at) === true ? before : this.#follow(before?.first(at), chunk)
    if (branch !== before) {
      this.drop()
      this.#branch = branch
    }
    branch.extend(chunk, at)
    this.#length += chunk.length
    return true
  }

  /** The whole body, in memory of about its own size; others may have it too until `drop`. */
  take(): Buffer {
    const branch = this.#branch
    if (branch === undefined) return nothing
    if (branch.length === this.#length) return branch.end()
    const body = copied(branch.first(this.#length), this.#length)
    this.drop()
    return body
  }

  /** Nobody looks at it any more. */
  drop(): void {
    if (this.#branch !== undefined) this.#alike?.leave(this.#branch)
    this.#branch = undefined
  }

  #follow(beginning: Buffer = nothing, chunk: Buffer): Branch {
    return this.#alike?.follow(beginning, chunk, this.#lengths) ?? new Branch(beginning, chunk, this.#lengths)
  }
}

/** The bodies of one question: what several of them say is held once, for as long as one of those is. */
export class AlikeBodies {
  readonly #branches = new Map<Branch, number>()

  /** To be left. */
  follow(beginning: Buffer, chunk: Buffer, lengths: Lengths): Branch {
    const branch =
      this.#branches
        .keys()
        .find((known) => known.begins(beginning) && known.admits(chunk, beginning.length)) ??
      new Branch(beginning, chunk, lengths)
    this.#branches.set(branch, (this.#branches.get(branch) ?? 0) + 1)
    return branch
  }

  leave(branch: Branch): void {
    const left = (this.#branches.get(branch) ?? 1) - 1
    if (left > 0) this.#branches.set(branch, left)
    else this.#branches.delete(branch)
  }
}

/**
 * What bodies have begun with. One chunk is kept as it is; further ones are copied together at once, for a chunk of one
 * byte costs a hundred in memory.
 */
class Branch {
  readonly #lengths: Lengths
  #store: Buffer
  #length: number
  #copied = false
  /** A body ends with it: longer ones go on elsewhere, so that nobody holds more than some body said. */
  #ended = false

  constructor(beginning: Buffer, chunk: Buffer, lengths: Lengths) {
    this.#lengths = lengths
    this.#store = beginning.length === 0 ? chunk : beginning
    this.#length = this.#store.length
    this.extend(chunk, beginning.length)
  }

  get length(): number {
    return this.#length
  }

  first(length: number): Buffer {
    return this.#store.subarray(0, length)
  }

  begins(beginning: Buffer): boolean {
    return this.#length >= beginning.length && this.first(beginning.length).equals(beginning)
  }

  /** Whether a body of it may go on with `chunk` at `at`. */
  admits(chunk: Buffer, at: number): boolean {
    const common = Math.min(this.#length - at, chunk.length)
    if (common < chunk.length && this.#ended) return false
    return common === 0 || chunk.compare(this.#store, at, at + common, 0, common) === 0
  }

  /** Adds what a chunk that is admitted says beyond its end. */
  extend(chunk: Buffer, at: number): void {
    const length = at + chunk.length
    if (length <= this.#length) return
    this.#store = this.#withRoomFor(length)
    this.#store.set(at === this.#length ? chunk : chunk.subarray(this.#length - at), this.#length)
    this.#length = length
  }

  /** All of it, for a body that ends with it, in memory of about its size. */
  end(): Buffer {
    const isRoomy = this.#store.buffer.byteLength > 1.25 * this.#length + toleratedSlack
    if (isRoomy) this.#store = copied(this.first(this.#length), this.#length)
    this.#ended = true
    return this.first(this.#length)
  }

  #withRoomFor(length: number): Buffer {
    if (this.#copied && this.#store.length >= length) return this.#store
    this.#copied = true
    return copied(this.first(this.#length), capacityFor(length, this.#lengths))
  }
}

function capacityFor(length: number, { maxBytes, expected }: Lengths): number {
  const roomy = Math.min(maxBytes, Math.max(2 * length, minimumCapacity))
  return Math.max(length, expected ?? roomy)
}

/** In memory of its own, not in a piece of the pool that a short-lived neighbour would be kept by. */
function copied(data: Buffer, capacity: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(capacity)
  copy.set(data)
  return copy
}
