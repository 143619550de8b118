import { type Account, authenticated, ensureMayReadAs } from './accounts.ts'
import type { EventFormat } from './formats.ts'
import type { Json } from './json.ts'
import { type FakeLedger, type Held, participantId } from './ledger.ts'
import { tokenOf } from './tokens.ts'
import { activeJson } from './visible.ts'

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
