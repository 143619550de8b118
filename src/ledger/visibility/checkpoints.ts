import type { OffsetCheckpoint } from '../update.ts'

/**
 * The times for checkpoints, in milliseconds, as in Canton (IndexServiceConfig.scala). The ledger's checkpoint is
 * read every `lookUpMs`, for all streams together. A stream without an end delivers it `startMs` after its start, and
 * after every `idleMs` without an update.
 */
export const checkpointTimes = { lookUpMs: 15_000, startMs: 500, idleMs: 60_000 }

/** An event in the life of a stream without an end. */
export type StreamStep =
  /**
   * The stream is about to read the updates after `after`. `latest` is the ledger's checkpoint as it was last read.
   */
  | { readonly kind: 'range-begins'; readonly after: number; readonly latest: OffsetCheckpoint | undefined }
  /** The stream is about to deliver an update that its reader sees. */
  | { readonly kind: 'update'; readonly offset: number }
  /** The stream has read all updates up to this offset. */
  | { readonly kind: 'range-ends'; readonly upTo: number }
  /** The stream has delivered nothing for so long that it should now deliver a checkpoint. */
  | { readonly kind: 'idle'; readonly latest: OffsetCheckpoint | undefined }

/** The state of a stream with respect to the checkpoints that it has to deliver. */
export interface Checkpoints {
  /** The offset up to which the stream has read all updates; undefined while it reads a range. */
  readonly reached: number | undefined
  /** The next checkpoint to deliver, as soon as the stream has passed its offset. Undefined if there is none. */
  readonly held: OffsetCheckpoint | undefined
  /** The offset of the checkpoint that was delivered last; undefined if none was. */
  readonly delivered: number | undefined
}

/** Returns the state of a stream at its start, after the offset `beginExclusive`. */
export function checkpointsFrom(beginExclusive: number): Checkpoints {
  return { reached: beginExclusive, held: undefined, delivered: undefined }
}

/**
 * Returns the state of a stream after an event and, if a checkpoint is due, the checkpoint to deliver first. It does
 * what `injectCheckpoints` of IndexServiceImpl.scala does: each checkpoint is delivered once, after all updates that
 * it covers and before all later ones.
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
