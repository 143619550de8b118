import { milliseconds } from '../../lib/clock.ts'
import type { Case } from '../../scan/evidence-log.ts'

const minuteMs = milliseconds('1m')

/**
 * The dissents that are pending, by super validator: the daemon has not yet asked again whether
 * they persist. Each number is the minute of a vote: 0 is the current minute, 1 the one before.
 */
export type Pending = ReadonlyMap<string, readonly number[]>

export interface Marking {
  readonly pending: Pending
  /**
   * The time of the latest vote in the last hour in which more than f super validators contradicted
   * the agreed answer: milliseconds since 1970 UTC.
   */
  readonly lastBeyondFAt: number | undefined
}

export const unmarked: Marking = { pending: new Map(), lastBeyondFAt: undefined }

export function pendingIn(cases: readonly Case[], minuteBegan: number): Pending {
  const pending = new Map<string, readonly number[]>()
  for (const { at, dissent } of cases) {
    const back = Math.max(0, Math.ceil((minuteBegan - Date.parse(at)) / minuteMs))
    for (const [name, filing] of Object.entries(dissent))
      if (filing === 'pending') pending.set(name, [...(pending.get(name) ?? []), back])
  }
  return pending
}

export function pendingOf(names: readonly string[], pending: Pending): number {
  return Math.max(0, ...names.map((name) => pending.get(name)?.length ?? 0))
}

export function isPendingIn(names: readonly string[], back: number, pending: Pending): boolean {
  return names.some((name) => pending.get(name)?.includes(back))
}
