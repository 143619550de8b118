import type { EventFormat } from './formats.ts'
import type { Json } from './json.ts'
import { type FakeLedger, type Held, participantId } from './ledger.ts'
import { tokenOf } from './tokens.ts'
import { activeJson } from './visible.ts'

/**
 * Returns a list with the contract's element of the active contracts, or an empty list if the format does not select
 * the contract.
 */
export function contractElement(ledger: FakeLedger, held: Held, format: EventFormat): Json[] {
  const { contract, workflowId, synchronizerId, counter } = held
  const createdEvent = activeJson(contract, held, format, ledger.writing)
  if (createdEvent === undefined) return []
  const active = { createdEvent, synchronizerId, reassignmentCounter: counter }
  return [{ workflowId, contractEntry: { JsActiveContract: active } }]
}

/**
 * Returns the properties to which a continuation token of the active contracts is bound. A request with the token
 * must have the same ones.
 */
export function continuationOf(at: number, format: EventFormat): Json {
  return [participantId, 'stream', at, format]
}

/**
 * Returns all elements of a stream of active contracts. From Canton 3.5 on, each has the token with which a
 * stream continues after it.
 */
export function contractElements(ledger: FakeLedger, at: number, format: EventFormat): Json[] {
  if (at === 0) return []
  const elements = ledger.activeAt(at).flatMap((held) => contractElement(ledger, held, format))
  if (ledger.version === '3.4') return elements
  const of = continuationOf(at, format)
  return elements.map((each, index) => ({ ...each, streamContinuationToken: tokenOf(index + 1, of) }))
}
