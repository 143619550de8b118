import type { Moment } from '../lib/clock.ts'
import { type Degradation, sentenceOf } from './degradation.ts'
import type { Reconciliation } from './following.ts'
import type { Mirror } from './mirror.ts'
import { type StreamLevel, streamSentence } from './stream-level.ts'

export type MirrorLevel = 'off' | 'bindings' | 'stream'

/** The field `mirror` of `/status`. */
export interface MirrorStatus {
  /** The level at which the mirror answers now. */
  readonly level: MirrorLevel
  /** The configured level. */
  readonly wanted: MirrorLevel
  /** The sentence that says why the mirror does not answer at the configured level; null if it does. */
  readonly degradedBecause: string | null
  /**
   * The sentence that says why the mirror's file lacks some of the mirror's content. Null if it lacks
   * nothing, or if no file is configured.
   */
  readonly unkeptBecause: string | null
  /**
   * The sentence that says why only live reads answer lookups of some unexpired names, even while the mirror
   * answers. Null if there is no such reason.
   */
  readonly liveBecause: string | null
  /** The record time of the mirror's names, ISO 8601. Null before the first set of names. */
  readonly asOf: string | null
  /** The time since `asOf`; null before the first set of names. */
  readonly ageSeconds: number | null
  readonly generation: number
  /** The number of mirrored entries, without the overlay. */
  readonly entries: number
  /** The digest of the set of names (`AgreedSet.digest`); null if there is no set. */
  readonly digest: string | null
  /** The super validators that agreed on the set of names; empty if there is no set. */
  readonly agreed: readonly string[]
  /** The time at which the next drain begins, ISO 8601. */
  readonly nextDrain: string
  /** The time until `nextDrain`, in whole seconds. 0 while a drain is due or under way. */
  readonly nextDrainSeconds: number
  /** The number of names that live reads added since the snapshot. */
  readonly overlay: number
  /** The number of contradictions since the start for which evidence was filed (`Mirror.withdrawn`). */
  readonly withdrawn: number
  /**
   * The outcome of the last attempt to compare a snapshot with the followed names, and the record time of
   * that snapshot. Null at level `bindings`, and before the first attempt.
   */
  readonly reconciled: { readonly at: string; readonly outcome: Reconciliation['kind'] } | null
  /**
   * The progress of following updates; null at level `bindings`. `lagSeconds` is the time since a page last
   * reached the end of the updates; null if no page has reached it yet.
   */
  readonly stream: { readonly lagSeconds: number | null; readonly receivedBytes: number } | null
}

/** The facts in the status that the caller must provide, because `Mirror` does not know them. */
export interface StatusFacts {
  /** The time at which the next drain begins: milliseconds since 1970. */
  readonly nextAt: number
  /** The bytes of updates that scans sent since the start, as `UpdatePolls` estimates them. */
  readonly receivedBytes: number
  readonly reconciled: MirrorStatus['reconciled']
  /** The sentence that says why the last drain gave no agreed set; undefined if it gave one, or before the first. */
  readonly undrained: string | undefined
}

export function mirrorStatus(mirror: Mirror, facts: StatusFacts, moment: Moment): MirrorStatus {
  const { degradation, set, names, generation, withdrawn, asOf, state, size } = mirror
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
    entries: size,
    digest: set?.digest ?? null,
    agreed: set?.agreement.agreed ?? [],
    nextDrain: new Date(facts.nextAt).toISOString(),
    nextDrainSeconds: Math.max(0, Math.ceil((facts.nextAt - moment.wall) / 1000)),
    overlay: names?.overlaySize ?? 0,
    withdrawn,
    reconciled: facts.reconciled,
    stream: streamStatus(state, facts, moment),
  }
}

function sentence(degradation: Degradation, { undrained }: StatusFacts): string {
  const why = degradation.kind === 'no-set' && undrained !== undefined ? ` ${undrained}` : ''
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
  const lagMs = state.following?.lagMs(moment) ?? Number.POSITIVE_INFINITY
  return { lagSeconds: Number.isFinite(lagMs) ? Math.round(lagMs / 1000) : null, receivedBytes }
}
