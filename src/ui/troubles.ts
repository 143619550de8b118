import { milliseconds } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import { isOver } from '../scan/incidents.ts'
import type { LiveModel, ShownMember } from './model.ts'

const minuteMs = milliseconds('1m')
const hourMs = milliseconds('1h')

type TroubleSources = Pick<LiveModel, 'roster' | 'minuteBegan' | 'disagreements' | 'traffic' | 'machineMs'>

/**
 * Returns the start, in milliseconds since 1970 UTC, of the first minute after `time` in which all
 * reachable voters agreed. No disagreement, failed read or fault may follow it. Returns undefined
 * if there is no such minute, or if fewer voters than the threshold are reachable.
 */
export function agreedSince(model: TroubleSources, time: number): number | undefined {
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
 * Returns the end of the latest minute in which all of these super validators agreed with the
 * others, in milliseconds since 1970 UTC. Returns 0 if the last hour had no such minute.
 */
export function agreedUntil({ roster, minuteBegan }: TroubleSources, who: readonly string[]): number {
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
 * Returns the latest time at which the dissenters may have contradicted the others. The daemon asks
 * them again within a minute. If they said the same again, that minute is added.
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
  readonly contradictions: number
  /**
   * These contradictions were gone when the dissenters were asked again. `contradictions` does not
   * count them.
   */
  readonly ended: number
  /**
   * The number of questions without an agreed answer. Questions for the list of super validators do
   * not count.
   */
  readonly withoutAgreement: number
  readonly failed: number
}

export function troublesOf({ disagreements, traffic, machineMs }: TroubleSources): HourTroubles {
  const recent = disagreements.filter(({ at }) => machineMs - Date.parse(at) < hourMs)
  const agreed = recent.filter(({ outcome }) => outcome === 'agreed')
  const ended = agreed.filter(isOver).length
  return {
    contradictions: agreed.length - ended,
    ended,
    withoutAgreement: recent.filter(({ outcome, read }) => outcome !== 'agreed' && read !== 'roster').length,
    failed: traffic.reduce((sum, { failed }) => sum + failed, 0),
  }
}
