import type { OffsetCheckpoint } from '../update.ts'

/**
 * The times for checkpoints, in milliseconds, as in Canton (IndexServiceConfig.scala):
 * - `lookUpMs`: the interval between two reads of the ledger's checkpoint. One read serves all streams.
 * - `startMs`, `idleMs`: a stream without an end counts as idle `startMs` after its start, and whenever it
 *   has delivered nothing for `idleMs`. An idle stream delivers the ledger's checkpoint, if the stream has
 *   read exactly up to the checkpoint's offset. It never delivers a checkpoint twice.
 */
export const checkpointTimes = { lookUpMs: 15_000, startMs: 500, idleMs: 60_000 }

/** A step of a stream without an end. At each step, the stream may have to deliver a checkpoint. */
export type StreamStep =
  /**
   * The stream is about to read a range of updates that begins after the offset `after`. `latest` is the
   * ledger's checkpoint as it was last read; undefined if it was not read yet.
   */
  | { readonly kind: 'range-begins'; readonly after: number; readonly latest: OffsetCheckpoint | undefined }
  /** The stream is about to deliver the update at this offset. */
  | { readonly kind: 'update'; readonly offset: number }
  /** The stream has read all updates of the range. The range ends at this offset. */
  | { readonly kind: 'range-ends'; readonly upTo: number }
  /** The stream waits for updates, and is idle (see `checkpointTimes`). */
  | { readonly kind: 'idle'; readonly latest: OffsetCheckpoint | undefined }

/** What a stream of updates has read and sent. It determines when the next `OffsetCheckpoint` is due. */
export interface Checkpoints {
  /**
   * The end of the last range of updates that the stream has read completely, as an offset. Undefined while
   * the stream reads a range.
   */
  readonly reached: number | undefined
  /**
   * The checkpoint to deliver as soon as the stream has read up to the checkpoint's offset. Undefined if no
   * checkpoint is waiting.
   */
  readonly held: OffsetCheckpoint | undefined
  /** The offset of the checkpoint that was delivered last; undefined if none was delivered. */
  readonly delivered: number | undefined
}

export function checkpointsFrom(beginExclusive: number): Checkpoints {
  return { reached: beginExclusive, held: undefined, delivered: undefined }
}

/**
 * Returns the state of a stream after a step and, if a checkpoint is due, the checkpoint to deliver at that
 * step. The rules are those of `injectCheckpoints` in IndexServiceImpl.scala. Each checkpoint is delivered
 * once, after all updates up to its offset and before all later updates.
 */
export function stepCheckpoints(
  before: Checkpoints,
  step: StreamStep,
): { readonly after: Checkpoints; readonly checkpoint?: OffsetCheckpoint } {
  switch (step.kind) {
    case 'range-begins': {
      const { after, latest } = step
      const held = latest !== undefined && latest.offset > after ? latest : undefined
      const begun = { ...before, reached: undefined, held }
      return latest?.offset === after && isNews(before, latest) ? deliver(begun, latest) : { after: begun }
    }
    case 'update': {
      const { held } = before
      return held !== undefined && held.offset < step.offset ? deliver(before, held) : { after: before }
    }
    case 'range-ends': {
      const { held } = before
      const ended = { ...before, reached: step.upTo }
      return held !== undefined && held.offset <= step.upTo ? deliver(ended, held) : { after: ended }
    }
    case 'idle': {
      const { latest } = step
      const isHere = latest !== undefined && latest.offset === before.reached
      return isHere && isNews(before, latest) ? deliver(before, latest) : { after: before }
    }
  }
}

function isNews({ delivered }: Checkpoints, { offset }: OffsetCheckpoint): boolean {
  return delivered === undefined || offset > delivered
}

function deliver(before: Checkpoints, checkpoint: OffsetCheckpoint) {
  return { after: { ...before, held: undefined, delivered: checkpoint.offset }, checkpoint }
}
