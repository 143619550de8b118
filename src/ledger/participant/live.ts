import { LedgerRefusal, type LedgerUnavailable } from '../ledger.ts'
import { Garbage, json, parsed, understand } from './answers.ts'
import { elementOf } from './elements.ts'
import { mostTries, type Participant } from './participant.ts'
import { mayPass, refusalIn } from './refusals.ts'
import { updateFormatJson } from './request-json.ts'
import type { StreamElement, StreamRequest, TokenReader } from './requests.ts'
import { Tries } from './retry.ts'

export interface LiveEvents {
  opened(): void
  /** The connection ended and another one is opened. */
  broke(error: unknown): void
}

export interface LiveStreamDeps {
  readonly participant: Participant
  readonly events: LiveEvents
}

/** A connection that was up for this long counts as a success, even if nothing arrived on it. */
const settledMs = 10_000

/**
 * Updates from an offset on, without an end, over websockets. If a connection ends, whatever the reason, the stream opens
 * another one behind the last offset that arrived, of an update or a checkpoint.
 */
export async function* liveStream(
  { participant, events }: LiveStreamDeps,
  { beginExclusive, format }: Pick<StreamRequest, 'beginExclusive' | 'format'>,
  reader: TokenReader,
  signal: AbortSignal,
): AsyncGenerator<readonly StreamElement[]> {
  const updateFormat = updateFormatJson(format)
  const position = new StreamPosition(beginExclusive)
  const tries = new Tries(mostTries, participant.clock)
  for (;;) {
    let ended: LedgerUnavailable | LedgerRefusal
    try {
      const request = { beginExclusive: position.offset, updateFormat }
      using frames = await participant.open('/v2/updates', request, reader, signal)
      events.opened()
      for (;;) {
        let batch: Batch
        try {
          batch = elementsIn(await frames.read(signal), position)
        } finally {
          if (frames.ageMs >= settledMs) tries.succeeded()
        }
        if (batch.elements.length > 0) {
          tries.succeeded()
          yield batch.elements
        }
        if (batch.ended !== undefined) throw batch.ended
      }
    } catch (error) {
      if (signal.aborted || !mayGoOn(error, position.offset > beginExclusive)) throw error
      ended = error
    }
    events.broke(ended)
    await tries.failed(ended, signal)
  }
}

interface Batch {
  readonly elements: readonly StreamElement[]
  /** Why the stream ended after these elements; undefined if it goes on. */
  readonly ended: LedgerUnavailable | LedgerRefusal | undefined
}

/** Elements before a frame that is no element are still valid. */
function elementsIn(frames: readonly string[], position: StreamPosition): Batch {
  const elements: StreamElement[] = []
  if (frames.length === 0)
    return { elements, ended: new Garbage('The participant ended a stream without an end.') }
  for (const frame of frames) {
    try {
      const value = understand(json, parsed(frame))
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

/** The position behind which a new connection goes on with the stream. */
class StreamPosition {
  offset: number
  /** Offset of the last checkpoint, which may equal that of the update before it. */
  #checkpoint = -1

  constructor(offset: number) {
    this.offset = offset
  }

  /**
   * Whether it is new.
   * @throws Garbage for an update that repeats an offset or goes back, and a checkpoint that goes back.
   */
  take({ kind, offset }: StreamElement): boolean {
    if (kind === 'update' ? offset <= this.offset : offset < this.offset) {
      throw new Garbage(`The participant sent offset ${offset} after ${this.offset}.`)
    }
    this.offset = offset
    if (kind === 'update') return true
    // A connection may begin with the checkpoint that ended the one before.
    const isNews = offset > this.#checkpoint
    this.#checkpoint = offset
    return isNews
  }
}

/**
 * Whether a new connection may go on. A replica of the participant may lag behind the offset that was read, for a while.
 * The reader gets every other refusal.
 */
function mayGoOn(error: unknown, hasCome: boolean): error is LedgerUnavailable | LedgerRefusal {
  if (mayPass(error)) return true
  return hasCome && error instanceof LedgerRefusal && error.error.code === 'OFFSET_AFTER_LEDGER_END'
}
