import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Clock } from '../lib/clock.ts'
import { hmacWith } from '../lib/digest.ts'
import { type Floor, higher, holds } from './floor.ts'
import type { FloorId, Floors } from './floors.ts'

/** Receives each change of a floor; `floor` is undefined if it was removed. */
export type FloorChanged = (key: string, floor: Floor | undefined) => void

export interface FloorTableDeps {
  readonly clock: Pick<Clock, 'wall'>
  /** Called after each change. It must not throw. */
  readonly changed?: FloorChanged
}

/** The most floors in memory. Beyond that, the least recently used floor is dropped. */
const mostFloors = 100_000
/**
 * The share of `mostFloors` for questions that callers can make up, so that those cannot evict the floors of names.
 */
const madeUpShare = 1 / 4
/** Characters of the HMAC in a key: 22 characters of base64url are 132 bits. */
const keyLength = 22
/** A key begins with this letter if callers can make up its question, and otherwise with `usual`. */
const madeUp = 'm'
const usual = 'u'

const keyPattern = /^[mu][\w-]{22}$/

/** Whether a text has the form of a key. */
export function isFloorKey(text: string): boolean {
  return keyPattern.test(text)
}

/**
 * Returns a function that computes the key of a question: an HMAC-SHA-256 of its text, cut, after a character for its
 * part of the table.
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

  /** Makes a table that is forgotten at exit. */
  static inMemory(deps: FloorTableDeps): FloorTable {
    return new FloorTable(randomBytes(32), deps)
  }

  get size(): number {
    return this.#usual.size + this.#madeUp.size
  }

  /** Yields all floors, the least recently used first within each part of the table. */
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

  /** Stores a floor that was read from the file, or removes it. `changed` is not called. */
  restore(key: string, floor: Floor | undefined): void {
    if (floor === undefined || !holds(floor, this.#clock.wall())) this.#partOf(key).delete(key)
    else this.#partOf(key).set(key, floor)
  }

  /** Raises a floor to one that was read from the file, unless a higher one is in force. `changed` is not called. */
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
