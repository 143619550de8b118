import { hash } from 'node:crypto'
import { type Account, authenticated, ensureMayReadAs } from './accounts.ts'
import { checkPage } from './checks.ts'
import { refused } from './errors.ts'
import { type EventFormat, pageRequest } from './formats.ts'
import type { Json, Reply } from './json.ts'
import { type FakeLedger, type Held, participantId } from './ledger.ts'
import { activeJson } from './visible.ts'

// The tokens of pages and streams are opaque to callers. Each token is bound to the participant and to the request for
// which it was made.

const format = 1

function tokenOf(place: Json, of: Json): string {
  return Buffer.from(JSON.stringify({ format, place, of: digestOf(of) })).toString('base64')
}

/**
 * Returns the `place` of a token. Undefined if the text is no token. Null if the token is bound to another request or
 * has another format.
 */
export function placeIn(token: string, of: Json): Json | undefined | null {
  let given: Json
  try {
    given = JSON.parse(Buffer.from(token, 'base64').toString())
  } catch {
    return undefined
  }
  if (typeof given !== 'object' || given === null || given.place === undefined) return undefined
  return given.format === format && given.of === digestOf(of) ? given.place : null
}

/** Maps are sorted, so that the order in which a request names parties does not matter. */
function digestOf(value: Json): string {
  const sorted = (_key: string, inner: Json) =>
    inner instanceof Map ? [...inner].sort(([a], [b]) => (a < b ? -1 : 1)) : inner
  return hash('sha256', JSON.stringify(value, sorted), 'hex').slice(0, 16)
}

function contractElement(ledger: FakeLedger, held: Held, format: EventFormat): Json[] {
  const { contract, workflowId, synchronizerId } = held
  const createdEvent = activeJson(contract, held, format, ledger.writing)
  if (createdEvent === undefined) return []
  const active = { createdEvent, synchronizerId, reassignmentCounter: 0 }
  return [{ workflowId, contractEntry: { JsActiveContract: active } }]
}

/** Returns the value to which continuation tokens are bound. A token is valid only in requests with an equal value. */
export function continuationOf(at: number, format: EventFormat): Json {
  return [participantId, 'stream', at, format]
}

/**
 * From Canton 3.5 on, each element has a token. A later request with the token of an element gets the elements after
 * that element.
 */
export function contractElements(ledger: FakeLedger, at: number, format: EventFormat): Json[] {
  if (at === 0) return []
  const elements = ledger.activeAt(at).flatMap((held) => contractElement(ledger, held, format))
  if (ledger.version === '3.4') return elements
  const of = continuationOf(at, format)
  return elements.map((each, index) => ({ ...each, streamContinuationToken: tokenOf(index + 1, of) }))
}

export function completionsFor(ledger: FakeLedger, account: Account | undefined, body: Json): Json[] {
  const { parties, beginExclusive = 0 } = body
  ensureMayReadAs(authenticated(account), parties)
  return ledger.entries.flatMap((entry) => {
    const isMeant = entry.kind === 'transaction' && entry.actAs.some((party) => parties.includes(party))
    if (!isMeant || entry.offset <= beginExclusive) return []
    const { offset, actAs, commandId } = entry
    const value = { commandId, offset, actAs, userId: account?.id }
    return [{ completionResponse: { Completion: { value } } }]
  })
}

/** Answers pages of updates in ascending order. */
export function updatesPage(ledger: FakeLedger, body: Json, account: Account | undefined): Reply {
  const request = pageRequest(body)
  const format = checkPage(ledger.checked, request, account)
  const { begin = 0, end, size = 100, token } = request
  const bound = [participantId, begin, end, size, format]
  const place = token === '' ? begin : placeIn(token, bound)
  if (typeof place !== 'number') throw refused(ledger.version, 'INVALID_UPDATES_PAGE_TOKEN')
  const all = ledger.delivered(format, place, end ?? ledger.end)
  const next = all[size]?.offset
  const last = next === undefined ? (end ?? ledger.end) : next - 1
  return [
    200,
    {
      updates: all.slice(0, size).map(({ json }) => json),
      lowestPageOffsetExclusive: place,
      highestPageOffsetInclusive: last,
      nextPageToken: next === undefined && end !== undefined ? null : tokenOf(last, bound),
    },
  ]
}
