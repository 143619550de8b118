import type { Lifetime } from '../cache/answer.ts'
import type { Clock } from '../lib/clock.ts'
import { milliseconds } from '../lib/clock.ts'
import type { ListedKey } from './key-directory.ts'
import { newSigningKey, type SigningKey } from './signing-key.ts'

/** How long the next key is listed before it signs. */
export const announcedMs = milliseconds('7d')
/** The longest time for which a receipt is valid. */
export const longestReceiptMs = milliseconds('24h')

/** How long a receipt of an answer is valid that no cache may store. */
const unstoredMs = milliseconds('1m')

/** Returns for how long a receipt of a live answer is valid, in milliseconds, unless the answer itself ends before. */
export function liveReceiptMs(lifetime: Lifetime | undefined): number {
  return Math.min(lifetime?.staleMs ?? unstoredMs, longestReceiptMs)
}

/** The key that signs, and since when: seconds since 1970. */
export interface CurrentKey {
  readonly key: SigningKey
  readonly nbf: number
}

/** The keys of a daemon. */
export interface KeyRing {
  /** Returns the key that signs at this time, milliseconds since 1970. */
  signing(wall: number): CurrentKey
  /** Returns the keys of the directory at this time: former ones, the present one, and the next one. */
  listed(wall: number): readonly ListedKey[]
}

/**
 * Returns the `exp` of a key that has no successor yet, in seconds since 1970. A rotation that begins now lets the key
 * sign for seven more days, and its last receipt is valid for another day. The result moves once a day, so that the
 * directory seldom changes.
 */
export function unplannedEnd(wall: number): number {
  const day = milliseconds('24h')
  return (Math.ceil((wall + announcedMs + longestReceiptMs) / day) * day) / 1000
}

/** One key that is forgotten at exit. */
export class MemoryKeyRing implements KeyRing {
  readonly #current: CurrentKey

  constructor(clock: Pick<Clock, 'wall'>) {
    this.#current = { key: newSigningKey(), nbf: Math.floor(clock.wall() / 1000) }
  }

  signing(): CurrentKey {
    return this.#current
  }

  listed(wall: number): readonly ListedKey[] {
    const { key, nbf } = this.#current
    return [{ keyid: key.keyid, x: key.x, nbf, exp: unplannedEnd(wall) }]
  }
}
