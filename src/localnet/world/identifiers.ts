import type { Random } from '../../lib/random.ts'

/**
 * Makes up ids, numbers and blobs. Equal seeds of `random` yield the same values in the same order.
 */
export class Identifiers {
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  between(from: number, to: number): number {
    return from + Math.floor(this.#random() * (to - from + 1))
  }

  hex(length: number): string {
    let text = ''
    while (text.length < length)
      text += Math.floor(this.#random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, length)
  }

  unique(identifier: string): string {
    return `${identifier}::1220${this.hex(64)}`
  }

  contractId(): string {
    return `00${this.hex(64)}ca111220${this.hex(64)}`
  }

  blob(): string {
    return `CgMyLjES${Buffer.from(this.hex(2 * this.between(210, 330)), 'hex').toString('base64')}`
  }
}
