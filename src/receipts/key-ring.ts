import { type Clock, milliseconds } from '../lib/clock.ts'
import type { ListedKey } from './key-directory.ts'
import { longestReceiptMs } from './receipt-lifetime.ts'
import { newSigningKey, type SigningKey } from './signing-key.ts'

/** The milliseconds for which the directory of keys lists the next key before that key signs. */
export const announcedMs = milliseconds('7d')

/** The key that signs now, and the time at which it began to sign, in seconds since 1970. */
export interface CurrentKey {
  readonly key: SigningKey
  readonly nbf: number
}

/** The keys with which a daemon signs. */
export interface KeyRing {
  /** Returns the key that signs at the time `wall`, in milliseconds since 1970. */
  signing(wall: number): CurrentKey
  /**
   * Returns the former, present and next keys that the directory of keys lists at the time `wall`, in
   * milliseconds since 1970.
   */
  listed(wall: number): readonly ListedKey[]
}

/**
 * Returns the `exp` of a key that has no successor yet, in seconds since 1970. If a rotation began now, the
 * key would sign for seven more days, and its last receipt would be valid for one more day. `exp` is the end
 * of that day, rounded up to a whole day, so that the directory of keys changes at most once a day.
 * @param wall the present time: milliseconds since 1970.
 */
export function unplannedEnd(wall: number): number {
  const day = milliseconds('24h')
  return (Math.ceil((wall + announcedMs + longestReceiptMs) / day) * day) / 1000
}

/** A key ring with a single key, which is lost when the process exits. */
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
