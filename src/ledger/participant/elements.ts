import type { Element, UpdatesPage } from '../update-service.ts'
import type { UpdateKey } from '../wire/requests.ts'
import { Garbage, understand, update, updatesPage } from './answers.ts'
import type { StreamElement } from './requests.ts'

/**
 * Decodes one element of a stream of updates.
 * @param text the JSON text of `value`, if the caller has it.
 * @throws Garbage
 */
export function elementOf(value: unknown, text = JSON.stringify(value)): StreamElement {
  const { variant, content } = understand(update, value)
  const kind = variant === 'OffsetCheckpoint' ? 'offset-checkpoint' : 'update'
  return { kind, offset: content.offset, text }
}

/** The part of a range that a stream has not delivered yet. */
export class Progress {
  readonly #descending: boolean
  #from: number
  #to: number

  /**
   * Makes the rest of a range of which nothing was delivered yet: the offsets after `after`, up to and including
   * `upTo`.
   * @param descending true if the stream delivers the highest offset first.
   */
  constructor(after: number, upTo: number, descending: boolean) {
    this.#from = after
    this.#to = upTo
    this.#descending = descending
  }

  /** The rest of the range begins after this offset. */
  get after(): number {
    return this.#from
  }

  /** The rest of the range ends with this offset. */
  get upTo(): number {
    return this.#to
  }

  /**
   * Removes from the range what the stream has delivered with this update.
   * @throws Garbage for an update that repeats an offset, goes back, or lies outside the range.
   */
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

export function keyJson(key: UpdateKey): object {
  switch (key.by) {
    case 'offset':
      return { offset: key.offset }
    case 'id':
      return { updateId: key.updateId }
    case 'hash':
      return { transactionHash: key.transactionHash.toString('base64') }
  }
}

/**
 * Decodes the update that was requested.
 * @throws Garbage if the answer contains another update.
 */
export function found(value: unknown, key: UpdateKey): Element {
  const element = elementOf(value)
  const isAsked =
    key.by === 'offset'
      ? element.offset === key.offset
      : key.by === 'hash' || understand(update, value).content['updateId'] === key.updateId
  if (!isAsked || element.kind !== 'update')
    throw new Garbage('The participant sent another update than asked for.')
  return element
}

export function pageIn(value: unknown, descending: boolean): UpdatesPage {
  const page = understand(updatesPage, value)
  const { lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken = null } = page
  const updates = page.updates.map((each) => elementOf(each))
  const progress = new Progress(lowestPageOffsetExclusive, highestPageOffsetInclusive, descending)
  for (const update of updates) progress.take(update)
  return {
    updates: (async function* () {
      if (updates.length > 0) yield updates.map(({ text }) => text).join(',')
    })(),
    bounds: () => ({ lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken }),
  }
}
