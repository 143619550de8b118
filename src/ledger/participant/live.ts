import { LedgerRefusal, type LedgerUnavailable } from '../ledger.ts'
import { Garbage, json, parsed, understand } from './answers.ts'
import { elementOf } from './elements.ts'
import { mostTries, type Participant } from './participant.ts'
import { mayPass, refusalIn } from './refusals.ts'
import { updateFormatJson } from './request-json.ts'
import type { Reader, StreamElement, StreamRequest } from './requests.ts'
import { Tries } from './retry.ts'

export interface LiveEvents {
  /** A connection is open. */
  opened(): void
  /** Why another is to be opened. */
  broke(error: unknown): void
}

/** A connection that was up for so long counts as one that came to something, also where nothing came on it. */
const settledMs = 10_000

/**
 * Updates from an offset on, without an end, over websockets. One that ends, whatever the reason, is followed by another
 * that begins behind the last offset that came, of an update or a checkpoint.
 */
export async function* liveStream(
  participant: Participant,
  { beginExclusive, format }: Pick<StreamRequest, 'beginExclusive' | 'format'>,
  reader: Reader,
  signal: AbortSignal,
  told: LiveEvents,
): AsyncGenerator<readonly StreamElement[]> {
  const updateFormat = updateFormatJson(format)
  const place = new Place(beginExclusive)
  const tries = new Tries(mostTries, participant.clock)
  for (;;) {
    let ended: LedgerUnavailable | LedgerRefusal
    try {
      const request = { beginExclusive: place.offset, updateFormat }
      using frames = await participant.open('/v2/updates', request, reader, signal)
      told.opened()
      for (;;) {
        let batch: Batch
        try {
          batch = elementsIn(await frames.read(signal), place)
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
      if (signal.aborted || !mayBeGoneOnWith(error, place.offset > beginExclusive)) throw error
      ended = error
    }
    told.broke(ended)
    await tries.failed(ended, signal)
  }
}

interface Batch {
  readonly elements: readonly StreamElement[]
  /** Why there is nothing behind these; undefined where there may be. */
  readonly ended: LedgerUnavailable | LedgerRefusal | undefined
}

/** What came before something that is no element is good all the same. */
function elementsIn(frames: readonly string[], place: Place): Batch {
  const elements: StreamElement[] = []
  if (frames.length === 0)
    return { elements, ended: new Garbage('The participant ended a stream without an end.') }
  for (const frame of frames) {
    try {
      const value = understand(json, parsed(frame))
      const refusal = value['update'] === undefined ? refusalIn(value) : undefined
      if (refusal !== undefined) return { elements, ended: refusal }
      const element = elementOf(value, frame)
      if (place.take(element)) elements.push(element)
    } catch (error) {
      return { elements, ended: error as LedgerUnavailable }
    }
  }
  return { elements, ended: undefined }
}

/** Where a stream has come to: behind it, it can be gone on with. */
class Place {
  offset: number
  /** Of the last checkpoint; one may have the offset of what came before it. */
  #told = -1

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
    // Every connection begins with the checkpoint that the one before may have ended with.
    const isNews = offset > this.#told
    this.#told = offset
    return isNews
  }
}

/**
 * What was read before may be beyond the end that a replica of the participant has, for a while. Everything else that
 * the participant refuses is for the reader to know.
 */
function mayBeGoneOnWith(error: unknown, hasCome: boolean): error is LedgerUnavailable | LedgerRefusal {
  if (mayPass(error)) return true
  return hasCome && error instanceof LedgerRefusal && error.error.code === 'OFFSET_AFTER_LEDGER_END'
}
