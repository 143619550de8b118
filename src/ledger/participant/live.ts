import { LedgerRefusal, type LedgerUnavailable } from '../ledger.ts'
import { decode, json, MalformedResponse, parsed } from './answers.ts'
import { elementOf } from './elements.ts'
import { mostTries, type Participant } from './participant.ts'
import { isTemporary, refusalIn } from './refusals.ts'
import { updateFormatJson } from './request-json.ts'
import type { Credentials, StreamElement, StreamRequest } from './requests.ts'
import { Tries } from './retry.ts'

export interface LiveEvents {
  opened(): void
  /**
   * If `isLast`, `mostTries` tries in a row have failed, and the stream throws the error. Otherwise
   * the stream connects again.
   */
  broke(error: unknown, isLast: boolean): void
}

export interface LiveStreamDeps {
  readonly participant: Participant
  readonly events: LiveEvents
}

/**
 * A connection that is open for this time counts as a success, which resets the count of failed
 * tries.
 */
const successAfterMs = 10_000

/**
 * Yields the updates and checkpoints after an offset, without end. If the connection breaks for a
 * temporary reason, another connection continues after the last element.
 */
export async function* liveStream(
  { participant, events }: LiveStreamDeps,
  { beginExclusive, format }: Pick<StreamRequest, 'beginExclusive' | 'format'>,
  credentials: Credentials,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamElement[]> {
  const updateFormat = updateFormatJson(format)
  const position = new StreamPosition(beginExclusive)
  const tries = new Tries(mostTries, participant.clock)
  for (;;) {
    let ended: LedgerUnavailable | LedgerRefusal
    try {
      const request = { beginExclusive: position.offset, updateFormat }
      using frames = await participant.open('/v2/updates', request, credentials, signal)
      events.opened()
      for (;;) {
        let batch: Batch
        try {
          batch = elementsIn(await frames.read(signal), position)
        } finally {
          if (frames.ageMs >= successAfterMs) tries.succeeded()
        }
        if (batch.elements.length > 0) {
          tries.succeeded()
          yield batch.elements
        }
        if (batch.ended !== undefined) throw batch.ended
      }
    } catch (error) {
      if (signal.aborted || !mayReconnect(error, position.offset > beginExclusive)) throw error
      ended = error
    }
    events.broke(ended, tries.isLast)
    await tries.failed(ended, signal)
  }
}

interface Batch {
  readonly elements: readonly StreamElement[]
  readonly ended: LedgerUnavailable | LedgerRefusal | undefined
}

/**
 * Decodes frames up to the first one that is malformed or contains an error. An empty list of
 * frames means that the participant has closed the connection.
 */
function elementsIn(frames: readonly string[], position: StreamPosition): Batch {
  const elements: StreamElement[] = []
  if (frames.length === 0)
    return { elements, ended: new MalformedResponse('The participant ended a stream without an end.') }
  for (const frame of frames) {
    try {
      const value = decode(json, parsed(frame))
      const refusal = value['update'] === undefined ? refusalIn(value) : undefined
      if (refusal !== undefined) return { elements, ended: refusal }
      const element = elementOf(value, frame)
      if (position.take(element)) elements.push(element)
    } catch (error) {
      return { elements, ended: error as LedgerUnavailable }
    }
  }
  return { elements, ended: undefined }
}

class StreamPosition {
  offset: number
  /**
   * The offset of the last checkpoint. `offset` may be the one of an update, so it does not show
   * whether a checkpoint is new.
   */
  #checkpoint = -1

  constructor(offset: number) {
    this.offset = offset
  }

  take({ kind, offset }: StreamElement): boolean {
    if (kind === 'update' ? offset <= this.offset : offset < this.offset) {
      throw new MalformedResponse(`The participant sent offset ${offset} after ${this.offset}.`)
    }
    this.offset = offset
    if (kind === 'update') return true
    // A new connection may begin with the checkpoint that was the last element of the previous one.
    const isNews = offset > this.#checkpoint
    this.#checkpoint = offset
    return isNews
  }
}

/**
 * After the first elements, `OFFSET_AFTER_LEDGER_END` is temporary: the new connection has reached
 * a replica of the participant, and this replica lags.
 */
function mayReconnect(error: unknown, hasCome: boolean): error is LedgerUnavailable | LedgerRefusal {
  if (isTemporary(error)) return true
  return hasCome && error instanceof LedgerRefusal && error.error.code === 'OFFSET_AFTER_LEDGER_END'
}
