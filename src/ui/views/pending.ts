import type { Case } from '../../scan/evidence-log.ts'

/** The number of dissents that are being checked, by super validator. */
export type Pending = ReadonlyMap<string, number>

export const nonePending: Pending = new Map()

export function pendingIn(cases: readonly Case[]): Pending {
  const pending = new Map<string, number>()
  for (const { dissent } of cases)
    for (const [name, filing] of Object.entries(dissent))
      if (filing === 'pending') pending.set(name, (pending.get(name) ?? 0) + 1)
  return pending
}

/** @param names of one voter, which casts one vote for all of them. */
export function pendingOf(names: readonly string[], pending: Pending): number {
  return Math.max(0, ...names.map((name) => pending.get(name) ?? 0))
}
