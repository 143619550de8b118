import { ownBytes } from '../lib/own-bytes.ts'

const minimumCapacity = 16_384

/**
 * A body of n bytes may stay in a buffer of up to 1.25 n plus this number of bytes. A body in a
 * larger buffer is copied. The slack is mostly the HTTP headers that arrived with the body.
 */
const toleratedSlack = 4096

const nothing = Buffer.alloc(0)

export interface Lengths {
  readonly maxBytes: number
  readonly expected?: number | undefined
}

/**
 * Collects the chunks of one body. If `alike` is given, the bytes of equal bodies are stored only
 * once.
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

  /**
   * Returns the bytes of memory that this body needs with `chunk`, as if it shared no memory with
   * other bodies. The result is undefined if the body would be longer than `maxBytes`.
   */
  sizeWith(chunk: Buffer): number | undefined {
    const length = this.#length + chunk.length
    if (length > this.#lengths.maxBytes) return undefined
    if (length > this.#size) this.#size = this.#length === 0 ? length : capacityFor(length, this.#lengths)
    return this.#size
  }

  /** Returns false, and stores nothing, if the body would be longer than `maxBytes`. */
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

  take(): Buffer {
    const branch = this.#branch
    if (branch === undefined) return nothing
    if (branch.length === this.#length) return branch.end()
    const body = ownBytes(branch.first(this.#length))
    this.drop()
    return body
  }

  drop(): void {
    if (this.#branch !== undefined) this.#alike?.leave(this.#branch)
    this.#branch = undefined
  }

  #follow(beginning: Buffer = nothing, chunk: Buffer): Branch {
    return this.#alike?.follow(beginning, chunk, this.#lengths) ?? new Branch(beginning, chunk, this.#lengths)
  }
}

/**
 * The bodies of all responses to one question, as they arrive. Bodies share a branch, and so their
 * memory, as long as one is the beginning of the other. A body that begins to differ moves to
 * another branch, which has its own copy of the common beginning.
 */
export class AlikeBodies {
  readonly #branches = new Map<Branch, number>()

  /**
   * Finds or creates a branch in which `chunk` can follow the bytes `beginning`. The caller must
   * call `leave` when the body no longer uses the branch.
   */
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
 * The bytes with which one or more bodies begin. Chunks after the first are copied into one buffer,
 * because a buffer for each chunk costs a hundred bytes even for one byte.
 */
class Branch {
  readonly #lengths: Lengths
  #store: Buffer
  #length: number
  #copied = false
  /**
   * True if the bytes are a complete body. The branch then must not grow, because the complete body
   * would keep the added memory too.
   */
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

  admits(chunk: Buffer, at: number): boolean {
    const common = Math.min(this.#length - at, chunk.length)
    if (common < chunk.length && this.#ended) return false
    return common === 0 || chunk.compare(this.#store, at, at + common, 0, common) === 0
  }

  /**
   * Stores `chunk` at position `at`, without the bytes that the branch already has. The caller must
   * have checked `admits` before.
   */
  extend(chunk: Buffer, at: number): void {
    const length = at + chunk.length
    if (length <= this.#length) return
    this.#store = this.#withRoomFor(length)
    this.#store.set(at === this.#length ? chunk : chunk.subarray(this.#length - at), this.#length)
    this.#length = length
  }

  end(): Buffer {
    const isRoomy = this.#store.buffer.byteLength > 1.25 * this.#length + toleratedSlack
    if (isRoomy) this.#store = ownBytes(this.first(this.#length))
    this.#ended = true
    return this.first(this.#length)
  }

  #withRoomFor(length: number): Buffer {
    if (this.#copied && this.#store.length >= length) return this.#store
    this.#copied = true
    return withCapacity(this.first(this.#length), capacityFor(length, this.#lengths))
  }
}

function capacityFor(length: number, { maxBytes, expected }: Lengths): number {
  const roomy = Math.min(maxBytes, Math.max(2 * length, minimumCapacity))
  return Math.max(length, expected ?? roomy)
}

/**
 * Copies `data` into a new buffer of `capacity` bytes. The buffer must not come from Node's pool, in
 * which several buffers share memory.
 */
function withCapacity(data: Buffer, capacity: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(capacity)
  copy.set(data)
  return copy
}
