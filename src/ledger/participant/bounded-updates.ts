import { LedgerRefusal, LedgerUnavailable } from '../ledger.ts'
import { MalformedResponse } from './answers.ts'
import { elementOf, UndeliveredRange } from './elements.ts'
import { TooLarge } from './json-api.ts'
import type { Participant } from './participant.ts'
import { tooManyElements } from './refusals.ts'
import { updateFormatJson } from './request-json.ts'
import type { Credentials, StreamElement, StreamRequest } from './requests.ts'

/** The default page limit of participants. A participant may be configured with a lower limit. */
const fullPage = 200

/**
 * Yields the updates between two offsets, in pages of `POST /v2/updates`, which participants of all
 * versions have. If a page is too large for the participant or this program, `limit` is halved.
 */
export async function* boundedStream(
  participant: Participant,
  request: StreamRequest & { readonly endInclusive: number },
  credentials: Credentials,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamElement[]> {
  const { beginExclusive, endInclusive, descending } = request
  const updateFormat = updateFormatJson(request.format)
  const undelivered = new UndeliveredRange(beginExclusive, endInclusive, descending)
  let limit = fullPage
  let begun = false
  while (!begun || undelivered.after < undelivered.upTo) {
    const body = {
      beginExclusive: undelivered.after,
      endInclusive: undelivered.upTo,
      updateFormat,
      descendingOrder: descending,
    }
    let page: readonly StreamElement[]
    try {
      page = await participant.read(
        { method: 'POST', path: `/v2/updates?limit=${limit}`, token: credentials.token, body },
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
    for (const element of page) undelivered.take(element)
    const updates = page.filter(({ kind }) => kind === 'update')
    if (updates.length > 0) yield updates
    if (page.length < limit) return
  }
}

/**
 * Checks the whole page before any update is used, so that a malformed page can be requested again.
 */
function pageOf(
  value: unknown,
  { beginExclusive, endInclusive }: { readonly beginExclusive: number; readonly endInclusive: number },
  descending: boolean,
  limit: number,
): readonly StreamElement[] {
  if (!Array.isArray(value)) throw new MalformedResponse('The participant sent something else than a list.')
  if (value.length > limit)
    throw new MalformedResponse(`The participant sent ${value.length} elements for at most ${limit}.`)
  const page = value.map((each: unknown) => elementOf(each))
  const undelivered = new UndeliveredRange(beginExclusive, endInclusive, descending)
  for (const element of page) undelivered.take(element)
  return page
}

function isTooMuch(error: unknown): boolean {
  return error instanceof TooLarge || (error instanceof LedgerRefusal && error.error.code === tooManyElements)
}
