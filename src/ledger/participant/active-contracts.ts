import { type AnswerJson, activeContract, decode, json, parsed } from './answers.ts'
import { mostTries, type Participant } from './participant.ts'
import { isTemporary, refusalIn } from './refusals.ts'
import { eventFormatJson } from './request-json.ts'
import type { ContractsRequest, Credentials } from './requests.ts'
import { Tries } from './retry.ts'

export interface ActiveElement {
  readonly offset: number
  readonly created: AnswerJson
  /** The token with which a new stream continues after this element. Canton 3.4 sends none. */
  readonly streamContinuationToken: string | undefined
  readonly text: string
}

/**
 * Yields the contracts that are active at an offset. The stream uses a websocket, because a
 * participant limits the number of elements in a `POST` response. If the connection breaks, a new
 * one continues after the last element, provided that the element had a continuation token.
 */
export async function* activeStream(
  participant: Participant,
  { activeAtOffset, format, streamContinuationToken }: ContractsRequest,
  credentials: Credentials,
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
      using frames = await participant.open('/v2/state/active-contracts', request, credentials, signal)
      for (let read = await frames.read(signal); read.length > 0; read = await frames.read(signal)) {
        const elements = read.map(activeElement)
        tries.succeeded()
        hasCome = true
        token = elements.at(-1)?.streamContinuationToken
        yield elements
      }
      return
    } catch (error) {
      if (signal.aborted || !isTemporary(error) || (hasCome && token === undefined)) throw error
      await tries.failed(error, signal)
    }
  }
}

function activeElement(frame: string): ActiveElement {
  const value = decode(json, parsed(frame))
  const refusal = value['contractEntry'] === undefined ? refusalIn(value) : undefined
  if (refusal !== undefined) throw refusal
  return activeElementOf(value, frame)
}

/**
 * @param text the JSON of `value`, if it is known already: this saves the time to serialise
 * `value`.
 * @throws MalformedResponse
 */
export function activeElementOf(value: unknown, text = JSON.stringify(value)): ActiveElement {
  const { contractEntry: created, streamContinuationToken } = decode(activeContract, value)
  return { offset: created.offset, created, streamContinuationToken, text }
}
