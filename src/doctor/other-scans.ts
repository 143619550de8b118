import { tolerated } from '../base/lib/threshold.ts'
import type { LedgerSpan, Observation, QuestionOutcome } from './observation.ts'

/**
 * The values with which each scan is compared. If at least 2f+1 scans gave a time, f liars cannot
 * move that time out of the range of the times that honest scans gave.
 */
export interface OtherScans {
  readonly dso: Majority
  readonly synchronizer: Majority
  /** Returns by how many milliseconds a scan is behind the others; never a negative number. */
  readonly behindMs: (progress: LedgerSpan) => number
  readonly snapshotAt: number | undefined
  readonly beginsAt: number | undefined
}

export interface Majority {
  /**
   * The configured value, or else the most frequent value. Undefined if no scan gave a value, or if
   * the two most frequent values are equally frequent.
   */
  readonly value: string | undefined
  readonly saidBy: number
  readonly of: number
  /**
   * The number of scans that must give the value before the report relies on it; 0 if it is
   * configured.
   */
  readonly needed: number
}

/**
 * @param known values that do not depend on the scans' answers.
 * @param voters the number of super validators, including those that did not answer.
 * @param needed how many scans must give the same value before the report relies on it.
 */
export function otherScansOf(
  observations: readonly Observation[],
  known: { readonly dso: string | undefined },
  { voters, needed }: { readonly voters: number; readonly needed: number },
): OtherScans {
  const f = tolerated(voters)
  const progress = said(observations.map((seen) => seen.progress)).filter((one) => one !== null)
  const newestHead = latest(
    progress.map(({ headAt }) => headAt),
    f,
  )
  const leastLag = earliest(progress.map(lagOf), f)
  return {
    dso: majorityOf(said(observations.map(({ dso }) => dso)), needed, known.dso),
    synchronizer: majorityOf(said(observations.map(({ synchronizer }) => synchronizer)), needed),
    // Scans are asked at different times, so each of two measures can be too large, and the smaller
    // one counts:
    // - The lag behind this machine's clock, less the least lag. It is too large for a scan asked
    //   late while the ledger has no updates.
    // - The distance to the newest update. It is too large for a scan asked early while the ledger
    //   has updates.
    behindMs: (one) =>
      Math.max(0, Math.min(lagOf(one) - (leastLag ?? lagOf(one)), (newestHead ?? one.headAt) - one.headAt)),
    snapshotAt: latest(
      said(observations.map(({ snapshot }) => snapshot)).filter((at) => at !== null),
      f,
    ),
    beginsAt: earliest(
      progress.map(({ beginsAt }) => beginsAt),
      f,
    ),
  }
}

function lagOf({ headAt, heardAt }: LedgerSpan): number {
  return heardAt - headAt
}

function majorityOf(values: readonly string[], needed: number, known?: string): Majority {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  if (known !== undefined)
    return { value: known, saidBy: counts.get(known) ?? 0, of: values.length, needed: 0 }
  const [first, second] = [...counts].sort(([, a], [, b]) => b - a)
  const value = first === undefined || first[1] === second?.[1] ? undefined : first[0]
  return { value, saidBy: first?.[1] ?? 0, of: values.length, needed }
}

/**
 * Returns the value if at least `needed` scans gave it. If fewer did, all of them could be liars.
 */
export function confirmedIn({ value, saidBy, needed }: Majority): string | undefined {
  return saidBy >= needed ? value : undefined
}

/** Returns the (f+1)-th latest time: f liars cannot make it later than honest scans say. */
function latest(times: readonly number[], f: number): number | undefined {
  return times.toSorted((a, b) => b - a)[Math.min(f, times.length - 1)]
}

function earliest(times: readonly number[], f: number): number | undefined {
  return times.toSorted((a, b) => a - b)[Math.min(f, times.length - 1)]
}

function said<Value>(asked: readonly QuestionOutcome<Value>[]): readonly Value[] {
  return asked.flatMap((one) => (one.kind === 'said' ? [one.value] : []))
}
