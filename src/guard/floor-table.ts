import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { hmacWith } from '../lib/digest.ts'
import { type Floor, higher, holds } from './floor.ts'
import type { FloorId, Floors } from './floors.ts'

/** Receives the key of a floor that changed, and the new floor: undefined if the floor was removed. */
export type FloorChanged = (key: string, floor: Floor | undefined) => void

export interface FloorTableDeps {
  readonly clock: Pick<Clock, 'wall'>
  /** Called after each change. It must not throw. */
  readonly changed?: FloorChanged
}

/** The maximum number of floors in memory. Beyond that, the least recently used floors are dropped. */
const mostFloors = 100_000
/**
 * The share of `mostFloors` for the floors of questions that callers can make up in any number
 * (`FloorId.manyQuestions`). These floors are stored separately, so that they cannot evict the floors of
 * other questions.
 */
const madeUpShare = 1 / 4
/**
 * The number of characters that a key has after its first letter: 22 characters of base64url are 132 bits of
 * the HMAC.
 */
const keyLength = 22
/** The first letter of the keys of questions that callers can make up. Other keys begin with `u` (`usual`). */
const madeUp = 'm'
const usual = 'u'

const keyPattern = /^[mu][\w-]{22}$/

/** True if the string has the syntax of a floor's key. */
export function isFloorKey(text: string): boolean {
  return keyPattern.test(text)
}

/**
 * Returns a function that computes the key of a question's floor: `m` or `u`, followed by the first 22
 * characters of the HMAC-SHA-256 of `FloorId.text`.
 */
export function floorKeys(secret: Buffer): (id: FloorId) => string {
  const hmac = hmacWith(secret)
  return ({ text, manyQuestions }) => (manyQuestions ? madeUp : usual) + hmac(text).slice(0, keyLength)
}

/** Keeps the floors in the memory of this process. */
export class FloorTable implements Floors {
  readonly #keyOf: (id: FloorId) => string
  readonly #clock: Pick<Clock, 'wall'>
  readonly #changed: FloorChanged
  readonly #usual: LRUCache<string, Floor>
  readonly #madeUp: LRUCache<string, Floor>

  /**
   * @param secret the key of the HMACs.
   * @param most the maximum number of floors.
   */
  constructor(secret: Buffer, { clock, changed = () => {} }: FloorTableDeps, most = mostFloors) {
    this.#keyOf = floorKeys(secret)
    this.#clock = clock
    this.#changed = changed
    const madeUpMost = Math.max(1, Math.floor(most * madeUpShare))
    this.#madeUp = new LRUCache({ max: madeUpMost })
    this.#usual = new LRUCache({ max: Math.max(1, most - madeUpMost) })
  }

  /** Makes a table with a random secret. Its floors are lost when the process ends. */
  static inMemory(deps: FloorTableDeps): FloorTable {
    return new FloorTable(randomBytes(32), deps)
  }

  get size(): number {
    return this.#usual.size + this.#madeUp.size
  }

  /**
   * Yields all floors with their keys: first the floors of questions that callers can make up, then the
   * others. Within each of these two groups, the least recently used floor comes first.
   */
  *entries(): IterableIterator<readonly [string, Floor]> {
    for (const part of [this.#madeUp, this.#usual])
      for (const key of part.rkeys()) yield [key, part.peek(key) as Floor]
  }

  find(id: FloorId): Floor | undefined {
    const key = this.#keyOf(id)
    const floor = this.#partOf(key).get(key)
    if (floor === undefined || holds(floor, this.#clock.wall())) return floor
    this.#remove(key)
    return undefined
  }

  raise(id: FloorId, floor: Floor): Floor {
    const key = this.#keyOf(id)
    const part = this.#partOf(key)
    const former = part.get(key)
    const wall = this.#clock.wall()
    const now = higher(former, floor, wall)
    if (!holds(now, wall)) {
      this.#remove(key)
    } else if (former?.version !== now.version || former.endsAt !== now.endsAt) {
      part.set(key, now)
      this.#changed(key, now)
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
   * Stores a floor that was read from the file. If `floor` is undefined or has ended, removes the stored
   * floor instead. Does not call `changed`.
   */
  restore(key: string, floor: Floor | undefined): void {
    if (floor === undefined || !holds(floor, this.#clock.wall())) this.#partOf(key).delete(key)
    else this.#partOf(key).set(key, floor)
  }

  /**
   * Stores a floor that was read from the file, unless a higher floor is in force. Does not call `changed`.
   */
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
    if (removed) this.#changed(key, undefined)
    return removed
  }
}
