import type { ContractsPage, Element, UpdatesPage } from '../../ledger/update-service.ts'
import type { Part } from '../parts.ts'

export function listText(elements: readonly Element[]): string {
  return `[${elements.map(({ text }) => text).join(',')}]`
}

/** Yields the JSON text of a page of updates, in parts. */
export async function* pageParts({ updates, bounds }: UpdatesPage): AsyncGenerator<Part> {
  let before = '{"updates":['
  for await (const some of updates) {
    yield before
    yield some
    before = ','
  }
  const rest = JSON.stringify(bounds()).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

/** Yields the JSON text of a page of active contracts, in parts. */
export async function* contractsParts({
  contracts,
  activeAtOffset,
  nextPageToken,
}: ContractsPage): AsyncGenerator<Part> {
  let before = '{"activeContracts":['
  for await (const some of contracts) {
    yield `${before}${some}`
    before = ','
  }
  const rest = JSON.stringify({ activeAtOffset, nextPageToken: nextPageToken() }).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

/**
 * Waits for the first part of an answer, and then returns all parts. Until then no byte was sent, so an error
 * can still become a response with its own HTTP status.
 */
export async function begun<T>(parts: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}
