import { type ContractsRequest, LedgerRefusal, type Reader } from '../update-reads.ts'
import { eventFormatJson } from './formats.ts'
import { openStream } from './open-stream.ts'
import { mostTries, type Participant } from './participant.ts'
import { asObject, type Json, objectIn, optionalText, parsed } from './reading.ts'
import { mayPass, refusalIn } from './refusals.ts'
import { Tries } from './retry.ts'

/** One element, and its text. */
export interface ActiveElement {
  readonly value: Json
  readonly json: string
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
        token = optionalText(elements.at(-1)?.value ?? {}, 'streamContinuationToken')
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
  if (value['contractEntry'] === undefined) {
    const refusal = refusalIn(value)
    if (refusal instanceof LedgerRefusal) throw refusal
  }
  objectIn(value, 'contractEntry')
  return { value, json: frame }
}
