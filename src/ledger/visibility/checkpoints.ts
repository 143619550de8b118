import type { OffsetCheckpoint } from '../update.ts'

/**
 * Canton's times (IndexServiceConfig.scala), milliseconds. The ledger's checkpoint is read every `lookUpMs`, for all
 * streams together. A stream without an end delivers it `startMs` after its start and after each `idleMs` without
 * updates.
 */
export const checkpointTimes = { lookUpMs: 15_000, startMs: 500, idleMs: 60_000 }

/** An event in the life of a stream without an end. */
export type StreamStep =
  /** The stream is about to read updates above `after`. `latest` is the checkpoint that was read last. */
  | { readonly kind: 'range-begins'; readonly after: number; readonly latest: OffsetCheckpoint | undefined }
  /** The stream is about to deliver an update that its reader sees. */
  | { readonly kind: 'update'; readonly offset: number }
  /** The stream has read all updates up to this offset. */
  | { readonly kind: 'range-ends'; readonly upTo: number }
  /** The stream had nothing to deliver for so long that it should deliver a checkpoint. */
  | { readonly kind: 'idle'; readonly latest: OffsetCheckpoint | undefined }

/** The state of a stream with respect to checkpoints. */
export interface Checkpoints {
  /** The offset up to which everything was read; undefined while a range is read. */
  readonly reached: number | undefined
  /** The next checkpoint to deliver, once the stream passes its offset. */
  readonly held: OffsetCheckpoint | undefined
  /** The offset of the last delivered checkpoint; undefined if there is none. */
  readonly told: number | undefined
}

/** Returns the state of a stream that begins after the offset `beginExclusive`. */
export function checkpointsFrom(beginExclusive: number): Checkpoints {
  return { reached: beginExclusive, held: undefined, told: undefined }
}

/**
 * Returns the state after an event, and the checkpoint to deliver before it, if any: as `injectCheckpoints` of
 * IndexServiceImpl.scala. A checkpoint is delivered once, after all updates that it covers and before all later ones.
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
      return latest?.offset === after && isNews(before, latest) ? tell(begun, latest) : { after: begun }
    }
    case 'update': {
      const { held } = before
      return held !== undefined && held.offset < step.offset ? tell(before, held) : { after: before }
    }
    case 'range-ends': {
      const { held } = before
      const ended = { ...before, reached: step.upTo }
      return held !== undefined && held.offset <= step.upTo ? tell(ended, held) : { after: ended }
    }
    case 'idle': {
      const { latest } = step
      const isHere = latest !== undefined && latest.offset === before.reached
      return isHere && isNews(before, latest) ? tell(before, latest) : { after: before }
    }
  }
}

function isNews({ told }: Checkpoints, { offset }: OffsetCheckpoint): boolean {
  return told === undefined || offset > told
}

function tell(before: Checkpoints, checkpoint: OffsetCheckpoint) {
  return { after: { ...before, held: undefined, told: checkpoint.offset }, checkpoint }
}
