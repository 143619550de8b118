import type { Moment } from '../lib/clock.ts'
import { sentenceOf } from './degradation.ts'
import type { Mirror } from './mirror.ts'

/** The part `mirror` of `/status`. */
export interface MirrorStatus {
  /** The level that is served now. */
  readonly level: 'off' | 'bindings'
  /** The level that the configuration wants. */
  readonly wanted: 'off' | 'bindings'
  readonly degradedBecause: string | null
  /** The grid instant of the set, ISO 8601. */
  readonly asOf: string | null
  readonly ageSeconds: number | null
  readonly generation: number
  /** The names of the set that are mirrored. */
  readonly entries: number
  readonly digest: string | null
  /** Those that agreed on the set. */
  readonly agreed: readonly string[]
  /** When the next drain begins, ISO 8601. */
  readonly nextDrain: string | null
  /** The names that live reads added since. */
  readonly overlay: number
  /** The names that ended before they expired, since the start. */
  readonly withdrawn: number
}

export function mirrorStatus(mirror: Mirror, nextAt: number, { wall }: Moment): MirrorStatus {
  const { degradation, set, names, generation, withdrawn } = mirror
  return {
    level: degradation === undefined ? 'bindings' : 'off',
    wanted: 'bindings',
    degradedBecause: degradation === undefined ? null : sentenceOf(degradation),
    asOf: set === undefined ? null : new Date(set.at).toISOString(),
    ageSeconds: set === undefined ? null : Math.max(0, Math.round((wall - set.at) / 1000)),
    generation,
    entries: names?.size ?? 0,
    digest: set?.digest ?? null,
    agreed: set?.agreement.agreed ?? [],
    nextDrain: new Date(nextAt).toISOString(),
    overlay: names?.overlaySize ?? 0,
    withdrawn,
  }
}
