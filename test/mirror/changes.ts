import type { FollowedChange } from '../../src/mirror/ledger-names.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import { t0 } from './mirrored.ts'

export function timeOf(seconds: number): string {
  return new Date(t0 + seconds * 1_000).toISOString().replace(/\.?0*Z$/, 'Z')
}

export function changeAt(seconds: number, change: Partial<FollowedChange>): FollowedChange {
  return { at: timeOf(seconds), renewed: [], added: [], expired: [], withdrawn: [], ...change }
}

export function added(seconds: number, ...entries: readonly MirroredEntry[]): FollowedChange {
  return changeAt(seconds, { added: entries })
}
