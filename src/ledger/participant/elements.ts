import type { Element, UpdatesPage } from '../update-service.ts'
import type { UpdateKey } from '../wire/requests.ts'
import { decode, MalformedResponse, update, updatesPage } from './answers.ts'
import type { StreamElement } from './requests.ts'

/**
 * @param text the JSON of `value`, if it is known already: this saves the time to serialise
 * `value`.
 * @throws MalformedResponse
 */
export function elementOf(value: unknown, text = JSON.stringify(value)): StreamElement {
  const { variant, content } = decode(update, value)
  const kind = variant === 'OffsetCheckpoint' ? 'offset-checkpoint' : 'update'
  return { kind, offset: content.offset, text }
}

/**
 * The part of an offset range that a stream has not delivered: after `after`, up to and including
 * `upTo`.
 */
export class UndeliveredRange {
  readonly #descending: boolean
  #from: number
  #to: number

  constructor(after: number, upTo: number, descending: boolean) {
    this.#from = after
    this.#to = upTo
    this.#descending = descending
  }

  get after(): number {
    return this.#from
  }

  get upTo(): number {
    return this.#to
  }

  /**
   * Marks the element's offset, and all offsets before it in the stream's order, as delivered.
   * @throws MalformedResponse for an offset outside of the undelivered part, such as a repeated
   * one.
   */
  take({ offset }: StreamElement): void {
    if (offset <= this.#from || offset > this.#to) {
      throw new MalformedResponse(
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
 * @throws MalformedResponse if the response is not the requested update. An update that was
 * requested by transaction hash is not compared.
 */
export function requestedUpdate(value: unknown, key: UpdateKey): Element {
  const element = elementOf(value)
  const isAsked =
    key.by === 'offset'
      ? element.offset === key.offset
      : key.by === 'hash' || decode(update, value).content['updateId'] === key.updateId
  if (!isAsked || element.kind !== 'update')
    throw new MalformedResponse('The participant sent another update than asked for.')
  return element
}

export function pageIn(value: unknown, descending: boolean): UpdatesPage {
  const page = decode(updatesPage, value)
  const { lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken = null } = page
  const updates = page.updates.map((each) => elementOf(each))
  const undelivered = new UndeliveredRange(lowestPageOffsetExclusive, highestPageOffsetInclusive, descending)
  for (const update of updates) undelivered.take(update)
  return {
    updates: (async function* () {
      if (updates.length > 0) yield updates.map(({ text }) => text).join(',')
    })(),
    bounds: () => ({ lowestPageOffsetExclusive, highestPageOffsetInclusive, nextPageToken }),
  }
}
