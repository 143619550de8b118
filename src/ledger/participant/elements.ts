import { asObject, Garbage, isObject, type Json, wholeIn } from './reading.ts'
import type { StreamElement } from './requests.ts'

/**
 * An element of a stream, `{"update": {"<variant>": {"value": {...}}}}`. Variants and members that are not known are
 * passed on: all that is needed here is the offset.
 * @param text its text, where it is at hand.
 */
export function elementOf(value: unknown, text?: string): StreamElement {
  const { variant, content } = updateIn(value)
  const kind = variant === 'OffsetCheckpoint' ? 'offset-checkpoint' : 'update'
  return { kind, offset: wholeIn(content, 'offset'), text: text ?? JSON.stringify(value) }
}

/** The variant of an update and what it holds. */
export function updateIn(value: unknown): { readonly variant: string; readonly content: Json } {
  const { update } = asObject(value)
  const [first, ...others] = isObject(update) ? Object.entries(update) : []
  if (first === undefined || others.length > 0) throw new Garbage('The participant sent no update.')
  const [variant, wrapper] = first
  return { variant, content: asObject(asObject(wrapper)['value']) }
}

/** Bounds of a stream, and where it has come to. */
export class Progress {
  readonly #descending: boolean
  #from: number
  #to: number

  /** Offsets above `after`, up to and including `upTo`. */
  constructor(after: number, upTo: number, descending: boolean) {
    this.#from = after
    this.#to = upTo
    this.#descending = descending
  }

  /** What is left: offsets above this ... */
  get after(): number {
    return this.#from
  }

  /** ... up to and including this. */
  get upTo(): number {
    return this.#to
  }

  /** @throws Garbage for an update that repeats an offset, goes back, or lies outside. */
  take({ offset }: StreamElement): void {
    if (offset <= this.#from || offset > this.#to) {
      throw new Garbage(
        `The participant sent offset ${offset}, which is not above ${this.#from} and at most ${this.#to}.`,
      )
    }
    if (this.#descending) this.#to = offset - 1
    else this.#from = offset
  }
}
