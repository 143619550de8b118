const minimumCapacity = 16_384

/**
 * A body of n bytes may occupy 1.25 n plus this many bytes of memory; if it occupies more, it is copied. Most
 * of these bytes are the HTTP headers that arrived in the same buffer.
 */
const toleratedSlack = 4096

const nothing = Buffer.alloc(0)

/** The limits of a body in bytes: its maximum length, and its announced length, which is not above the maximum. */
export interface Lengths {
  readonly maxBytes: number
  readonly expected?: number | undefined
}

/**
 * Collects the chunks of a body, up to `maxBytes`. With `alike` it compares them with other bodies as they
 * arrive, and stores only new content.
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
   * Returns how many bytes of memory this body would need, with `chunk` added, if it shared none. Undefined
   * if it would exceed the limit.
   */
  sizeWith(chunk: Buffer): number | undefined {
    const length = this.#length + chunk.length
    if (length > this.#lengths.maxBytes) return undefined
    if (length > this.#size) this.#size = this.#length === 0 ? length : capacityFor(length, this.#lengths)
    return this.#size
  }

  /** Adds a chunk. Returns false, and stores nothing, if the chunk would exceed the limit. */
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

  /**
   * Returns the whole body. It occupies about as much memory as it has bytes. Other bodies may share that
   * memory until `drop`.
   */
  take(): Buffer {
    const branch = this.#branch
    if (branch === undefined) return nothing
    if (branch.length === this.#length) return branch.end()
    const body = copied(branch.first(this.#length), this.#length)
    this.drop()
    return body
  }

  /** Frees the body. The caller must not use it afterwards. */
  drop(): void {
    if (this.#branch !== undefined) this.#alike?.leave(this.#branch)
    this.#branch = undefined
  }

  #follow(beginning: Buffer = nothing, chunk: Buffer): Branch {
    return this.#alike?.follow(beginning, chunk, this.#lengths) ?? new Branch(beginning, chunk, this.#lengths)
  }
}

/** The bodies of one question. Equal content is stored once, for as long as one of these bodies uses it. */
export class AlikeBodies {
  readonly #branches = new Map<Branch, number>()

  /**
   * Returns the branch for bodies that begin with `beginning` and `chunk`; creates it if no stored body
   * begins with them. The caller must `leave` the branch.
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
 * The bytes with which one or more bodies begin, stored once. A single chunk is stored without a copy. Further chunks
 * are copied into one buffer, because a separate chunk of one byte occupies a hundred bytes of memory.
 */
class Branch {
  readonly #lengths: Lengths
  #store: Buffer
  #length: number
  #copied = false
  /**
   * Whether a body ends with this branch. Longer bodies continue in another branch, so that a finished body
   * never keeps more than its own bytes.
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

  /**
   * Whether a body of this branch may continue with `chunk` at offset `at`: the stored bytes there must be
   * the same, and a branch at which a body ended must not grow.
   */
  admits(chunk: Buffer, at: number): boolean {
    const common = Math.min(this.#length - at, chunk.length)
    if (common < chunk.length && this.#ended) return false
    return common === 0 || chunk.compare(this.#store, at, at + common, 0, common) === 0
  }

  /**
   * Appends `chunk` at offset `at`, without the bytes that the branch has already. `admits` must have
   * returned true.
   */
  extend(chunk: Buffer, at: number): void {
    const length = at + chunk.length
    if (length <= this.#length) return
    this.#store = this.#withRoomFor(length)
    this.#store.set(at === this.#length ? chunk : chunk.subarray(this.#length - at), this.#length)
    this.#length = length
  }

  /** Returns the bytes of a body that ends here. They occupy about as much memory as they are long. */
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

/**
 * Copies the bytes into memory outside Node's buffer pool: a small buffer in the pool would keep a whole
 * block of it alive.
 */
function copied(data: Buffer, capacity: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(capacity)
  copy.set(data)
  return copy
}
