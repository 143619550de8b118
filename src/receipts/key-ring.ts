import { type Clock, milliseconds } from '../base/lib/clock.ts'
import type { ListedKey } from './key-directory.ts'
import { longestReceiptMs } from './receipt-lifetime.ts'
import { newSigningKey, type SigningKey } from './signing-key.ts'

/** The time for which the directory of keys lists the next key before that key signs. */
export const announcedMs = milliseconds('7d')

/** The key that signs now, and the time at which it began to, in seconds since 1970. */
export interface CurrentKey {
  readonly key: SigningKey
  readonly nbf: number
}

export interface KeyRing {
  /** Returns the key that signs at the time `wall`, in milliseconds since 1970. */
  signing(wall: number): CurrentKey
  listed(wall: number): readonly ListedKey[]
}

/**
 * Returns the `exp` of a key without a successor, in seconds since 1970: the earliest end that a
 * rotation could give it, rounded up to a day. So the directory of keys changes at most once a day.
 */
export function unplannedEnd(wall: number): number {
  const day = milliseconds('24h')
  return (Math.ceil((wall + announcedMs + longestReceiptMs) / day) * day) / 1000
}

/** A single key, which is lost when the process exits. */
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
