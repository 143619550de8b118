import { milliseconds } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { LiveModel, ShownMember } from './model.ts'

const minuteMs = milliseconds('1m')
const hourMs = milliseconds('1h')

type Told = Pick<LiveModel, 'roster' | 'minuteBegan' | 'disagreements' | 'traffic' | 'machine'>

/**
 * Returns the time since which the voters agree again, in milliseconds since 1970 UTC. It is the start of the
 * first minute in which every reachable voter agreed. That minute must meet three conditions:
 * - It does not begin before `time`.
 * - It does not begin before the last disagreement, or before the last recheck in which a dissenter said the
 *   same again.
 * - It comes after the last minute in which a read failed, or in which a reachable voter had a vote or a
 *   fault that `troubles` counts.
 *
 * Undefined if there is no such minute, or if fewer voters than the threshold are reachable.
 */
export function agreedSince(model: Told, time: number): number | undefined {
  const { roster, minuteBegan, traffic } = model
  const members = (roster?.members ?? []).filter(({ reachable }) => reachable)
  if (roster === undefined || members.length < roster.superValidators.threshold) return undefined
  const earliest = Math.max(time, ...model.disagreements.map(saidUntil))
  let since: number | undefined
  for (let back = 0; minuteBegan - back * minuteMs >= earliest; back++) {
    const votes = members.map((member) => votesOf(member, back))
    if (votes.some((each) => each === undefined || troubles(each) > 0)) break
    if ((traffic.at(-1 - back)?.failed ?? 0) > 0) break
    if (votes.every((each) => each !== undefined && each.agree > 0)) since = minuteBegan - back * minuteMs
  }
  return since
}

/**
 * Returns the end of the latest minute in which all of these super validators agreed with the others, in
 * milliseconds since 1970 UTC. 0 if no minute of the last hour was such a minute.
 */
export function agreedUntil({ roster, minuteBegan }: Told, who: readonly string[]): number {
  const members = (roster?.members ?? []).filter(({ names }) => names.some((name) => who.includes(name)))
  const minutes = Math.max(0, ...members.map(({ hour }) => hour.minutes.length))
  for (let back = 0; back < minutes; back++) {
    const votes = members.map((member) => votesOf(member, back))
    if (votes.every((each) => each !== undefined && each.agree > 0 && troubles(each) === 0))
      return minuteBegan - (back - 1) * minuteMs
  }
  return 0
}

/**
 * Returns the latest time at which a dissenter may have contradicted the others in this disagreement. That is the
 * time of the disagreement, or a minute later if a recheck confirmed the dissent: a recheck ends within a minute.
 */
function saidUntil({ at, dissent }: Case): number {
  const isSaidAgain = Object.values(dissent).some((filing) => filing === 'dissent' || filing === 'split')
  return Date.parse(at) + (isSaidAgain ? minuteMs : 0)
}

function votesOf({ hour }: ShownMember, back: number) {
  return hour.minutes.at(-1 - back)
}

function troubles({ dissent, split, unchecked, fault }: ShownMember['hour']['votes']): number {
  return dissent + split + unchecked + fault
}

export interface HourTroubles {
  /**
   * The number of disagreements in which an answer was agreed, without the disagreements that `ended` counts.
   */
  readonly contradictions: number
  /**
   * The number of disagreements in which an answer was agreed and all dissents were filed as `lag`: the difference was
   * gone when the dissenters were asked again.
   */
  readonly ended: number
  /**
   * The number of questions for which super validators were asked, and no answer was agreed. Questions for
   * the roster do not count.
   */
  readonly withoutAgreement: number
  /** The number of failed reads of callers. A read can be counted here and in `withoutAgreement`. */
  readonly failed: number
}

/** Counts the troubles of the last hour. */
export function troublesOf({ disagreements, traffic, machine }: Told): HourTroubles {
  const recent = disagreements.filter(({ at }) => machine - Date.parse(at) < hourMs)
  const agreed = recent.filter(({ outcome }) => outcome === 'agreed')
  const ended = agreed.filter(hasEnded).length
  return {
    contradictions: agreed.length - ended,
    ended,
    withoutAgreement: recent.filter(({ outcome, read }) => outcome !== 'agreed' && read !== 'roster').length,
    failed: traffic.reduce((sum, { failed }) => sum + failed, 0),
  }
}

function hasEnded({ dissent }: Case): boolean {
  const filed = Object.values(dissent)
  return filed.length > 0 && filed.every((filing) => filing === 'lag')
}
