import { openStream } from './open-stream.ts'
import { mostTries, type Participant } from './participant.ts'
import { asObject, isObject, type Json, objectIn, optionalText, parsed, wholeIn } from './reading.ts'
import { mayPass, refusalIn } from './refusals.ts'
import { eventFormatJson } from './request-json.ts'
import type { ContractsRequest, Reader } from './requests.ts'
import { Tries } from './retry.ts'

/** One element: `{"workflowId":"","contractEntry":{...}}`. */
export interface ActiveElement {
  /** Of the contract's creation. */
  readonly offset: number
  /** `CreatedEvent` */
  readonly created: Json
  readonly streamContinuationToken: string | undefined
  readonly text: string
}

/**
 * Contracts that are active at an offset, over a websocket: a `POST` ends where a participant lists no more at once. A
 * connection that breaks is followed by another that goes on behind the last element that came; where that is not
 * possible, because the participant is of 3.4, the stream rejects.
 */
export async function* activeStream(
  participant: Participant,
  { activeAtOffset, format, streamContinuationToken }: ContractsRequest,
  reader: Reader,
  signal: AbortSignal,
): AsyncGenerator<readonly ActiveElement[]> {
  const eventFormat = eventFormatJson(format)
  const tries = new Tries(mostTries, participant.clock)
  let token = streamContinuationToken
  let hasCome = false
  for (;;) {
    try {
      const request = {
        activeAtOffset,
        eventFormat,
        ...(token !== undefined && { streamContinuationToken: token }),
      }
      using frames = await openStream(participant, '/v2/state/active-contracts', request, reader, signal)
      for (let read = await frames.read(signal); read.length > 0; read = await frames.read(signal)) {
        const elements = read.map(activeElement)
        tries.succeeded()
        hasCome = true
        token = elements.at(-1)?.streamContinuationToken
        yield elements
      }
      return
    } catch (error) {
      if (signal.aborted || !mayPass(error) || (hasCome && token === undefined)) throw error
      await tries.failed(error, signal)
    }
  }
}

function activeElement(frame: string): ActiveElement {
  const value = asObject(parsed(frame))
  const refusal = value['contractEntry'] === undefined ? refusalIn(value) : undefined
  if (refusal !== undefined) throw refusal
  return activeElementOf(value, frame)
}

/** @param text its text, where it is at hand. @throws Garbage */
export function activeElementOf(given: unknown, text?: string): ActiveElement {
  const value = asObject(given)
  const created = createdIn(objectIn(value, 'contractEntry'))
  const streamContinuationToken = optionalText(value, 'streamContinuationToken')
  return {
    offset: wholeIn(created, 'offset'),
    created,
    streamContinuationToken,
    text: text ?? JSON.stringify(value),
  }
}

/** A contract that is being reassigned is active at no synchronizer, and counts all the same. */
function createdIn(entry: Json): Json {
  const active = entry['JsActiveContract'] ?? entry['JsIncompleteUnassigned']
  if (isObject(active)) return objectIn(active, 'createdEvent')
  return objectIn(objectIn(objectIn(entry, 'JsIncompleteAssigned'), 'assignedEvent'), 'createdEvent')
}
