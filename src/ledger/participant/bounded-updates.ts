import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import { Garbage } from './answers.ts'
import { elementOf, Progress } from './elements.ts'
import { TooLarge } from './json-api.ts'
import type { Participant } from './participant.ts'
import { tooManyElements } from './refusals.ts'
import { updateFormatJson } from './request-json.ts'
import type { StreamElement, StreamRequest, TokenReader } from './requests.ts'

/**
 * The number of updates to ask for in one request. This is the default limit of participants. A participant may be
 * configured with a lower one.
 */
const fullPage = 200

/**
 * Yields the updates between two offsets. It reads them in pages by `POST /v2/updates`, which participants of
 * all versions have. A page with fewer elements than `limit` is the last one. If a page has more elements or
 * bytes than the participant or this program permits, the stream halves `limit`.
 */
export async function* boundedStream(
  participant: Participant,
  request: StreamRequest & { readonly endInclusive: number },
  reader: TokenReader,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamElement[]> {
  const { beginExclusive, endInclusive, descending } = request
  const updateFormat = updateFormatJson(request.format)
  const progress = new Progress(beginExclusive, endInclusive, descending)
  let limit = fullPage
  let begun = false
  while (!begun || progress.after < progress.upTo) {
    const body = {
      beginExclusive: progress.after,
      endInclusive: progress.upTo,
      updateFormat,
      descendingOrder: descending,
    }
    let page: readonly StreamElement[]
    try {
      page = await participant.read(
        { method: 'POST', path: `/v2/updates?limit=${limit}`, token: reader.token, body },
        (value) => pageOf(value, body, descending, limit),
        signal,
      )
    } catch (error) {
      if (!isTooMuch(error)) throw error
      if (limit === 1) throw new LedgerUnavailable('One update is larger than may be held.', { cause: error })
      limit = Math.floor(limit / 2)
      continue
    }
    begun = true
    for (const element of page) progress.take(element)
    const updates = page.filter(({ kind }) => kind === 'update')
    if (updates.length > 0) yield updates
    if (page.length < limit) return
  }
}

/**
 * Decodes a page. The whole page is checked before any of its updates is used, so that the daemon can request
 * a malformed page again.
 */
function pageOf(
  value: unknown,
  { beginExclusive, endInclusive }: { readonly beginExclusive: number; readonly endInclusive: number },
  descending: boolean,
  limit: number,
): readonly StreamElement[] {
  if (!Array.isArray(value)) throw new Garbage('The participant sent something else than a list.')
  if (value.length > limit)
    throw new Garbage(`The participant sent ${value.length} elements for at most ${limit}.`)
  const page = value.map((each: unknown) => elementOf(each))
  const progress = new Progress(beginExclusive, endInclusive, descending)
  for (const element of page) progress.take(element)
  return page
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooLarge || (error instanceof LedgerRefusal && error.error.code === tooManyElements)
}
