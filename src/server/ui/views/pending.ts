import type { Case } from '../../../core/scan/evidence-log.ts'
import { lastBeyondF } from '../incidents.ts'
import type { LiveModel, ShownMember } from '../model.ts'
import { faultBound } from '../stories.ts'
import type { Look } from './stances.ts'

export interface Marking {
  /**
   * How many dissents of each super validator are pending: the daemon has not yet asked again whether
   * they persist.
   */
  readonly pending: ReadonlyMap<string, number>
  /**
   * The time of the latest vote in the last hour in which more than f super validators contradicted
   * the agreed answer: milliseconds since 1970 UTC.
   */
  readonly lastBeyondFAt: number | undefined
}

export function markingOf(model: Pick<LiveModel, 'disagreements' | 'machineMs' | 'roster'>): Marking {
  const { disagreements, machineMs } = model
  return {
    pending: pendingIn(disagreements),
    lastBeyondFAt: lastBeyondF(disagreements, fOf(model), machineMs),
  }
}

export function fOf({ roster }: Pick<LiveModel, 'roster'>): number {
  return faultBound(roster?.superValidators)
}

export const unmarked: Marking = { pending: new Map(), lastBeyondFAt: undefined }

function pendingIn(cases: readonly Case[]): Marking['pending'] {
  const pending = new Map<string, number>()
  for (const { dissent } of cases)
    for (const [name, filing] of Object.entries(dissent))
      if (filing === 'pending') pending.set(name, (pending.get(name) ?? 0) + 1)
  return pending
}

/** A super validator is marked as contradicting the others for a minute or two. */
export function lookNow(
  { names, reachable, hour }: ShownMember,
  { pending, lastBeyondFAt }: Marking,
): Pick<Look, 'look' | 'sign' | 'says'> {
  if (reachable === undefined) return { look: 'stance-unasked', sign: '', says: 'not asked yet' }
  if (!reachable) return { look: 'stance-silent', sign: '–', says: 'not reachable' }
  const contradicts =
    names.some((name) => pending.has(name)) || hour.minutes.slice(-2).some(({ dissent }) => dissent > 0)
  if (lastBeyondFAt !== undefined) return { look: '', sign: '', says: 'reachable' }
  return contradicts
    ? { look: 'stance-dissented', sign: '✕', says: 'contradicts the others' }
    : { look: 'stance-agreed', sign: '✓', says: 'reachable' }
}
