import type { Moment } from '../base/lib/clock.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { Reconciliation } from './ledger-names.ts'
import type { Mirror } from './mirror.ts'
import { type StreamLevel, streamSentence } from './stream-level.ts'

export type MirrorLevel = 'off' | 'bindings' | 'stream'

/** The field `mirror` of `/status`. */
export interface MirrorStatus {
  readonly level: MirrorLevel
  /** The configured level. `level` is lower while the mirror cannot answer at this one. */
  readonly wanted: MirrorLevel
  /** A sentence; null while the mirror answers at the configured level. */
  readonly degradedBecause: string | null
  /**
   * A sentence that says why the mirror's file lacks content of the mirror; null if the file lacks
   * nothing.
   */
  readonly unkeptBecause: string | null
  /**
   * A sentence that says why super validators are always asked for some unexpired names. Null
   * unless the clock of the daemon was set back.
   */
  readonly liveBecause: string | null
  readonly asOf: string | null
  readonly ageSeconds: number | null
  readonly generation: number
  readonly entries: number
  readonly digest: string | null
  readonly agreed: readonly string[]
  readonly nextDrain: string
  /** 0 while a drain, which reads a whole snapshot from scans, is due or under way. */
  readonly nextDrainSeconds: number
  readonly overlay: number
  readonly withdrawn: number
  /**
   * The outcome of the last attempt to compare a snapshot of record time `at` with the followed
   * names. Null at level `bindings`, which follows no updates.
   */
  readonly reconciled: { readonly at: string; readonly outcome: Reconciliation['kind'] } | null
  /**
   * `lagSeconds` says how far the followed updates are behind the ledger; null if no page of updates
   * ever reached the end. `stream` is null at level `bindings`.
   */
  readonly stream: { readonly lagSeconds: number | null; readonly receivedBytes: number } | null
}

export interface StatusFacts {
  readonly nextAt: number
  readonly receivedBytes: number
  readonly reconciled: MirrorStatus['reconciled']
  /** A sentence that says why the last drain, which reads a whole snapshot, failed. */
  readonly lastDrainFailedBecause: string | undefined
}

export function mirrorStatus(mirror: Mirror, facts: StatusFacts, moment: Moment): MirrorStatus {
  const { degradation, set, taken, generation, contradictionCount, asOf, state } = mirror
  const unfollowed = state?.degradation(moment)
  const served = state === undefined || unfollowed !== undefined ? 'bindings' : 'stream'
  const why =
    degradation === undefined ? unfollowed && streamSentence(unfollowed) : sentence(degradation, facts)
  return {
    level: degradation === undefined ? served : 'off',
    wanted: state === undefined ? 'bindings' : 'stream',
    degradedBecause: why ?? null,
    unkeptBecause: mirror.unkeptBecause,
    liveBecause: liveSentence(mirror, moment),
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    ageSeconds: asOf === undefined ? null : Math.max(0, Math.round((moment.wall - asOf) / 1000)),
    generation,
    entries: taken?.names.index.size ?? 0,
    digest: set?.digest ?? null,
    agreed: set?.agreement.agreed ?? [],
    nextDrain: new Date(facts.nextAt).toISOString(),
    nextDrainSeconds: Math.max(0, Math.ceil((facts.nextAt - moment.wall) / 1000)),
    overlay: taken?.overlaySize ?? 0,
    withdrawn: contradictionCount,
    reconciled: facts.reconciled,
    stream: streamStatus(state, facts, moment),
  }
}

function sentence(degradation: Degradation, { lastDrainFailedBecause }: StatusFacts): string {
  const why =
    degradation.kind === 'no-set' && lastDrainFailedBecause !== undefined ? ` ${lastDrainFailedBecause}` : ''
  return `${sentenceOf(degradation)}${why}`
}

function liveSentence({ time }: Mirror, moment: Moment): string | null {
  const from = time.setBackFrom(moment)
  if (from === undefined) return null
  const until = new Date(from).toISOString()
  return `The clock of this daemon was set back from ${until}: names that expire before then are read live until a restart.`
}

function streamStatus(state: StreamLevel | undefined, { receivedBytes }: StatusFacts, moment: Moment) {
  if (state === undefined) return null
  const lagMs = state.lagMs(moment)
  return { lagSeconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : null, receivedBytes }
}
