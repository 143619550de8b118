import type { OffsetCheckpoint } from '../update.ts'

/**
 * Times in milliseconds, as in Canton (IndexServiceConfig.scala). The ledger's checkpoint is read
 * every `lookUpMs`, once for all streams. An endless stream counts as idle `startMs` after its
 * start, and after `idleMs` without an update. An idle stream delivers the checkpoint if it has
 * read up to the checkpoint's offset and has not delivered it before.
 */
export const checkpointTimes = { lookUpMs: 15_000, startMs: 500, idleMs: 60_000 }

export type StreamStep =
  | { readonly kind: 'range-begins'; readonly after: number; readonly latest: OffsetCheckpoint | undefined }
  | { readonly kind: 'update'; readonly offset: number }
  | { readonly kind: 'range-ends'; readonly upTo: number }
  | { readonly kind: 'idle'; readonly latest: OffsetCheckpoint | undefined }

export interface CheckpointState {
  /** The offset up to which the stream has read. Undefined while the stream reads a range. */
  readonly readUpTo: number | undefined
  /** The checkpoint to deliver as soon as the stream has read up to the checkpoint's offset. */
  readonly held: OffsetCheckpoint | undefined
  readonly delivered: number | undefined
}

export function checkpointsFrom(beginExclusive: number): CheckpointState {
  return { readUpTo: beginExclusive, held: undefined, delivered: undefined }
}

/**
 * Implements the rules of `injectCheckpoints` in IndexServiceImpl.scala. Each checkpoint is
 * delivered once, after all updates up to its offset and before all later updates.
 */
export function stepCheckpoints(
  before: CheckpointState,
  step: StreamStep,
): { readonly after: CheckpointState; readonly checkpoint?: OffsetCheckpoint } {
  switch (step.kind) {
    case 'range-begins': {
      const { after, latest } = step
      const held = latest !== undefined && latest.offset > after ? latest : undefined
      const begun = { ...before, readUpTo: undefined, held }
      return latest?.offset === after && isNews(before, latest) ? deliver(begun, latest) : { after: begun }
    }
    case 'update': {
      const { held } = before
      return held !== undefined && held.offset < step.offset ? deliver(before, held) : { after: before }
    }
    case 'range-ends': {
      const { held } = before
      const ended = { ...before, readUpTo: step.upTo }
      return held !== undefined && held.offset <= step.upTo ? deliver(ended, held) : { after: ended }
    }
    case 'idle': {
      const { latest } = step
      const isHere = latest !== undefined && latest.offset === before.readUpTo
      return isHere && isNews(before, latest) ? deliver(before, latest) : { after: before }
    }
  }
}

function isNews({ delivered }: CheckpointState, { offset }: OffsetCheckpoint): boolean {
  return delivered === undefined || offset > delivered
}

function deliver(before: CheckpointState, checkpoint: OffsetCheckpoint) {
  return { after: { ...before, held: undefined, delivered: checkpoint.offset }, checkpoint }
}
