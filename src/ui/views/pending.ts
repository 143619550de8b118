import type { Case } from '../../scan/evidence-log.ts'

/** The number of dissents whose recheck is pending, by the name of the super validator. */
export type Pending = ReadonlyMap<string, number>

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

export function pendingIn(cases: readonly Case[]): Pending {
  const pending = new Map<string, number>()
  for (const { dissent } of cases)
    for (const [name, filing] of Object.entries(dissent))
      if (filing === 'pending') pending.set(name, (pending.get(name) ?? 0) + 1)
  return pending
}

/**
 * Returns how many dissents of one voter wait for their recheck.
 * @param names the super validators of that voter. They share one vote.
 */
export function pendingOf(names: readonly string[], pending: Pending): number {
  return Math.max(0, ...names.map((name) => pending.get(name) ?? 0))
}
