import { milliseconds } from '../../lib/clock.ts'
import type { Case } from '../../scan/evidence-log.ts'

const minuteMs = milliseconds('1m')

/**
 * The dissents whose recheck is pending, by the name of the super validator. Each dissent is the number of the
 * minute of its vote, counted back from the current minute, which is 0.
 */
export type Pending = ReadonlyMap<string, readonly number[]>

/** Facts about recent disagreements that change how the page shows the votes of the last hour. */
export interface Marking {
  readonly pending: Pending
  /**
   * The time of the latest vote in which more than f super validators contradicted the agreed answer:
   * milliseconds since 1970 UTC. Nobody can tell who is wrong then. Undefined if the last hour had no such
   * vote.
   */
  readonly beyondF: number | undefined
}

export const unmarked: Marking = { pending: new Map(), beyondF: undefined }

/** @param minuteBegan see `LiveModel.minuteBegan`. */
export function pendingIn(cases: readonly Case[], minuteBegan: number): Pending {
  const pending = new Map<string, readonly number[]>()
  for (const { at, dissent } of cases) {
    const back = Math.max(0, Math.ceil((minuteBegan - Date.parse(at)) / minuteMs))
    for (const [name, filing] of Object.entries(dissent))
      if (filing === 'pending') pending.set(name, [...(pending.get(name) ?? []), back])
  }
  return pending
}

/**
 * Returns how many dissents of one voter wait for their recheck.
 * @param names the super validators of that voter. They share one vote.
 */
export function pendingOf(names: readonly string[], pending: Pending): number {
  return Math.max(0, ...names.map((name) => pending.get(name)?.length ?? 0))
}

/** Whether a dissent of this voter in this minute waits for its recheck. `back` is as in `Pending`. */
export function isPendingIn(names: readonly string[], back: number, pending: Pending): boolean {
  return names.some((name) => pending.get(name)?.includes(back))
}
