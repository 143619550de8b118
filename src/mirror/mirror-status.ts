import type { Moment } from '../lib/clock.ts'
import { sentenceOf } from './degradation.ts'
import type { Reconciliation } from './following.ts'
import type { Mirror } from './mirror.ts'
import { type StateLevel, stateSentence } from './state-level.ts'

export type MirrorLevel = 'off' | 'bindings' | 'stream'

/** The part `mirror` of `/status`. */
export interface MirrorStatus {
  /** The level that is served now. */
  readonly level: MirrorLevel
  /** The level that the configuration wants. */
  readonly wanted: MirrorLevel
  readonly degradedBecause: string | null
  /** Why the file does not keep the mirror; null while it does, and where no file is configured. */
  readonly unkeptBecause: string | null
  /** The record time of the names, ISO 8601: of the last update while the state is served, else of the snapshot. */
  readonly asOf: string | null
  readonly ageSeconds: number | null
  readonly generation: number
  /** The number of mirrored names, without the overlay. */
  readonly entries: number
  readonly digest: string | null
  /** The super validators that agreed on the set; empty without a set. */
  readonly agreed: readonly string[]
  /** When the next drain begins, ISO 8601. */
  readonly nextDrain: string | null
  /** The number of names that live reads added since the snapshot. */
  readonly overlay: number
  /** How often, since the start, a quorum contradicted a mirrored name that had not expired. */
  readonly withdrawn: number
  /** The last comparison of a snapshot with the updates until then; null at level `bindings` and before the first. */
  readonly reconciled: { readonly at: string; readonly outcome: Reconciliation['kind'] } | null
  /**
   * The progress of following updates; null at level `bindings`. `lagSeconds` is null until their end was reached once.
   */
  readonly stream: { readonly lagSeconds: number | null; readonly receivedBytes: number } | null
}

/** The facts in the status that the mirror itself does not know. */
export interface StatusFacts {
  /** When the next drain begins: milliseconds since 1970. */
  readonly nextAt: number
  /** The bytes of updates that scans sent since the start, as `UpdatePolls` estimates them. */
  readonly receivedBytes: number
  readonly reconciled: MirrorStatus['reconciled']
}

export function mirrorStatus(mirror: Mirror, facts: StatusFacts, moment: Moment): MirrorStatus {
  const { degradation, set, names, generation, withdrawn, asOf, state, size } = mirror
  const unfollowed = state?.degradation(moment)
  const served = state === undefined || unfollowed !== undefined ? 'bindings' : 'stream'
  const why = degradation === undefined ? unfollowed && stateSentence(unfollowed) : sentenceOf(degradation)
  return {
    level: degradation === undefined ? served : 'off',
    wanted: state === undefined ? 'bindings' : 'stream',
    degradedBecause: why ?? null,
    unkeptBecause: mirror.unkeptBecause,
    asOf: asOf === undefined ? null : new Date(asOf).toISOString(),
    ageSeconds: asOf === undefined ? null : Math.max(0, Math.round((moment.wall - asOf) / 1000)),
    generation,
    entries: size,
    digest: set?.digest ?? null,
    agreed: set?.agreement.agreed ?? [],
    nextDrain: new Date(facts.nextAt).toISOString(),
    overlay: names?.overlaySize ?? 0,
    withdrawn,
    reconciled: facts.reconciled,
    stream: streamStatus(state, facts, moment),
  }
}

function streamStatus(state: StateLevel | undefined, { receivedBytes }: StatusFacts, moment: Moment) {
  if (state === undefined) return null
  const lagMs = state.following?.lagMs(moment) ?? Number.POSITIVE_INFINITY
  return { lagSeconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : null, receivedBytes }
}
