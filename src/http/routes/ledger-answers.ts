import type { ContractsPage, Element, UpdatesPage } from '../../ledger/update-service.ts'

export function listText(elements: readonly Element[]): string {
  return `[${elements.map(({ text }) => text).join(',')}]`
}

export async function* pageParts({ updates, bounds }: UpdatesPage): AsyncGenerator<string> {
  let before = '{"updates":['
  for await (const some of updates) {
    yield before
    yield some
    before = ','
  }
  const rest = JSON.stringify(bounds()).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

export async function* contractsParts({
  contracts,
  activeAtOffset,
  nextPageToken,
}: ContractsPage): AsyncGenerator<string> {
  let before = '{"activeContracts":['
  for await (const some of contracts) {
    yield `${before}${some}`
    before = ','
  }
  const rest = JSON.stringify({ activeAtOffset, nextPageToken: nextPageToken() }).slice(1)
  yield `${before === ',' ? '' : before}],${rest}`
}

/**
 * Waits for the first part: until a byte is sent, an error can still become a response with its own
 * status.
 */
export async function begun<T>(parts: AsyncGenerator<T>): Promise<AsyncIterable<T>> {
  const first = await parts.next()
  return (async function* () {
    if (first.done === true) return
    yield first.value
    yield* parts
  })()
}
