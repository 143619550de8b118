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
  /** Reports that the connection ended and that another one will be opened. */
  broke(error: unknown): void
}

export interface LiveStreamDeps {
  readonly participant: Participant
  readonly events: LiveEvents
}

/** A connection that lasted this many milliseconds counts as a success, even if nothing arrived on it. */
const settledMs = 10_000

/**
 * Yields the updates after an offset, without an end, over websockets. If a connection ends for a temporary reason,
 * the stream opens another one. It continues after the offset of the last update or checkpoint that arrived.
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
  /** The reason why the stream ended after these elements; undefined if it goes on. */
  readonly ended: LedgerUnavailable | LedgerRefusal | undefined
}

/**
 * Decodes frames up to the first refusal or malformed frame, which ends the stream. Leaves out repeated checkpoints. An
 * empty list of frames means that the participant closed the connection.
 */
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

/** The offset after which a new connection must continue the stream. */
class StreamPosition {
  offset: number
  /**
   * The offset of the last checkpoint; -1 before the first. A checkpoint can have the offset of the update before it,
   * so `offset` alone does not show whether the checkpoint is new.
   */
  #checkpoint = -1

  constructor(offset: number) {
    this.offset = offset
  }

  /**
   * Moves the position to this element. Returns whether the element is new.
   * @throws Garbage for an update that repeats an offset or goes back, and for a checkpoint that goes back.
   */
  take({ kind, offset }: StreamElement): boolean {
    if (kind === 'update' ? offset <= this.offset : offset < this.offset) {
      throw new Garbage(`The participant sent offset ${offset} after ${this.offset}.`)
    }
    this.offset = offset
    if (kind === 'update') return true
    // A connection may begin with the checkpoint that ended the previous one.
    const isNews = offset > this.#checkpoint
    this.#checkpoint = offset
    return isNews
  }
}

/**
 * Whether a new connection may succeed after this error. Once elements have arrived, an error about an offset after the
 * ledger's end counts as temporary, because another replica of the participant may lag for a while. All other refusals
 * go to the reader.
 */
function mayGoOn(error: unknown, hasCome: boolean): error is LedgerUnavailable | LedgerRefusal {
  if (mayPass(error)) return true
  return hasCome && error instanceof LedgerRefusal && error.error.code === 'OFFSET_AFTER_LEDGER_END'
}
