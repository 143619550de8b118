import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../../base/lib/clock.ts'
import { digest } from '../../base/lib/digest.ts'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'

/**
 * The version of the newest answer that was served to one question. Later answers must not be
 * older.
 * Versions compare as strings: an older version is `<` a newer one.
 */
export interface Floor {
  readonly version: string
  /**
   * The served value stops being true at this time: milliseconds since 1970. Undefined if it never
   * does.
   */
  readonly endsAt: number | undefined
}

/** The parts of an agreed answer that show how old the answer is. */
export type Sighting =
  | { readonly kind: 'value'; readonly version: string | undefined; readonly endsAt: number | undefined }
  /**
   * `after` says whether an absence is newer or older than a value that was served before. With
   * `older`, the contract cannot have been archived before the `endsAt` of that value. The absence
   * is therefore out of date until then.
   */
  | { readonly kind: 'absence'; readonly after: 'newer' | 'older' }

/**
 * A floor ends this long before its `endsAt`: a scan with a fast clock stops returning a name that
 * early.
 */
export const endMarginMs = 60_000

export function isInForce({ endsAt }: Floor, wall: number): boolean {
  return endsAt === undefined || wall < endsAt - endMarginMs
}

export function isBelow(sighting: Sighting, floor: Floor | undefined, wall: number): boolean {
  if (floor === undefined || !isInForce(floor, wall)) return false
  if (sighting.kind === 'absence') return sighting.after === 'older'
  return sighting.version !== undefined && sighting.version < floor.version
}

export function floorOf(sighting: Sighting): Floor | undefined {
  if (sighting.kind === 'absence' || sighting.version === undefined) return undefined
  return { version: sighting.version, endsAt: sighting.endsAt }
}

/**
 * Returns `former` if it is in force and has a newer version than `later`; otherwise returns
 * `later`. If both versions are equal, the `endsAt` of `later` therefore applies.
 */
export function higher(former: Floor | undefined, later: Floor, wall: number): Floor {
  if (former === undefined || !isInForce(former, wall)) return later
  return later.version < former.version ? former : later
}

export interface FloorId {
  /** Identifies the question, the DSO and the network. */
  readonly text: string
  /**
   * True if callers can make up any number of such questions, for example pages that begin anywhere.
   */
  readonly isOfUnboundedRead: boolean
}

/**
 * Stores floors. A floor is the version of a served answer: later answers to the question must not
 * be older.
 * No method throws or rejects. If a file or Redis fails, the floors in memory still apply.
 */
export interface Floors extends AsyncDisposable {
  find(id: FloorId): MaybePromise<Floor | undefined>
  /** @returns the floor that is in force afterwards, which may be higher than `floor`. */
  raise(id: FloorId, floor: Floor): MaybePromise<Floor>
  end(id: FloorId): MaybePromise<void>
  keysOf(id: FloorId): readonly string[]
  endKey(key: string): MaybePromise<boolean>
}

export type FloorChanged = (key: string, floor: Floor | undefined) => void

export interface FloorTableDeps {
  readonly clock: Pick<Clock, 'wall'>
  readonly changed?: FloorChanged
}

const mostFloors = 100_000
/**
 * The share of `mostFloors` that is reserved for floors of questions that callers can make up. A
 * caller can therefore not evict the floors of other questions.
 */
const madeUpShare = 1 / 4
const keyLength = 22
/**
 * The first letter of a key: `m` if callers can make up any number of questions of that read that
 * have answers, such as snapshots at any time; otherwise `u`.
 */
const madeUp = 'm'
const usual = 'u'

const keyPattern = /^[mu][\w-]{22}$/

export function isFloorKey(text: string): boolean {
  return keyPattern.test(text)
}

/**
 * Returns a function that computes the key under which a question's floor is stored. The key is a
 * letter and 132 bits of a hash of the secret and the question, and does not reveal the question.
 */
export function floorKeys(secret: Buffer): (id: FloorId) => string {
  const salt = secret.toString('base64url')
  return ({ text, isOfUnboundedRead }) => {
    // In UTF-8, lone surrogates would all be the same.
    const hashed = digest(Buffer.from(salt + text, 'utf16le'))
    return (isOfUnboundedRead ? madeUp : usual) + hashed.slice(0, keyLength)
  }
}

export class FloorTable implements Floors {
  readonly #keyOf: (id: FloorId) => string
  readonly #clock: Pick<Clock, 'wall'>
  readonly #changed: FloorChanged | undefined
  readonly #usual: LRUCache<string, Floor>
  readonly #madeUp: LRUCache<string, Floor>

  constructor(secret: Buffer, { clock, changed }: FloorTableDeps, most = mostFloors) {
    this.#keyOf = floorKeys(secret)
    this.#clock = clock
    this.#changed = changed
    const madeUpMost = Math.max(1, Math.floor(most * madeUpShare))
    this.#madeUp = new LRUCache({ max: madeUpMost })
    this.#usual = new LRUCache({ max: Math.max(1, most - madeUpMost) })
  }

  static inMemory(deps: FloorTableDeps): FloorTable {
    return new FloorTable(randomBytes(32), deps)
  }

  get size(): number {
    return this.#usual.size + this.#madeUp.size
  }

  /**
   * Yields all floors: those of `#madeUp`, then those of `#usual`. Each of the two begins with its
   * least recently used floor, so that restoring the floors in this order keeps the order of use.
   */
  *entries(): IterableIterator<readonly [string, Floor]> {
    for (const part of [this.#madeUp, this.#usual])
      for (const key of part.rkeys()) yield [key, part.peek(key) as Floor]
  }

  find(id: FloorId): Floor | undefined {
    const key = this.#keyOf(id)
    const floor = this.#partOf(key).get(key)
    if (floor === undefined || isInForce(floor, this.#clock.wall())) return floor
    this.#remove(key)
    return undefined
  }

  raise(id: FloorId, floor: Floor): Floor {
    const key = this.#keyOf(id)
    const part = this.#partOf(key)
    const former = part.get(key)
    const wall = this.#clock.wall()
    const now = higher(former, floor, wall)
    if (!isInForce(now, wall)) {
      this.#remove(key)
    } else if (former?.version !== now.version || former.endsAt !== now.endsAt) {
      part.set(key, now)
      this.#changed?.(key, now)
    }
    return now
  }

  end(id: FloorId): void {
    this.#remove(this.#keyOf(id))
  }

  keysOf(id: FloorId): readonly string[] {
    return [this.#keyOf(id)]
  }

  endKey(key: string): boolean {
    return this.#remove(key)
  }

  /**
   * Takes over a floor from the file, without a call of `changed`. An undefined or ended floor is
   * removed.
   */
  restore(key: string, floor: Floor | undefined): void {
    if (floor === undefined || !isInForce(floor, this.#clock.wall())) this.#partOf(key).delete(key)
    else this.#partOf(key).set(key, floor)
  }

  restoreHigher(key: string, floor: Floor): void {
    this.restore(key, higher(this.#partOf(key).peek(key), floor, this.#clock.wall()))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#usual.clear()
    this.#madeUp.clear()
  }

  #partOf(key: string): LRUCache<string, Floor> {
    return key.startsWith(madeUp) ? this.#madeUp : this.#usual
  }

  #remove(key: string): boolean {
    const removed = this.#partOf(key).delete(key)
    if (removed) this.#changed?.(key, undefined)
    return removed
  }
}
