import type { Random } from '../../lib/random.ts'

/** Generates the ids of one made-up world. Equal seeds of `random` yield the same ids in the same order. */
export class Identifiers {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  /** Returns a random integer from `from` to `to`, both included. */
  between(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }

  /** Returns a random string of `length` lower-case hex digits. */
  hex(length: number): string {
    let text = ''
    while (text.length < length)
      text += Math.floor(this.#random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, length)
  }

  /**
   * Returns a random id of the format that parties and synchronizers have: `<identifier>::1220<64 hex
   * digits>`.
   */
  unique(identifier: string): string {
    return `${identifier}::1220${this.hex(64)}`
  }

  contractId(): string {
    return `00${this.hex(64)}ca111220${this.hex(64)}`
  }

  /**
   * Returns a made-up created-event blob in base64: the version tag of Daml's format, and a few hundred
   * random bytes.
   */
  blob(): string {
    return `CgMyLjES${Buffer.from(this.hex(2 * this.between(210, 330)), 'hex').toString('base64')}`
  }
}
