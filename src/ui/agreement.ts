import { milliseconds } from '../lib/clock.ts'
import type { Case } from '../scan/evidence-log.ts'
import type { LiveModel, ShownMember } from './model.ts'

const minuteMs = milliseconds('1m')
const hourMs = milliseconds('1h')

type Told = Pick<LiveModel, 'roster' | 'minuteBegan' | 'disagreements' | 'traffic' | 'machine'>

/**
 * Returns the first minute after this time in which all reachable super validators agreed, if nobody contradicted the
 * others, nobody was silent and no look-up failed since: milliseconds since 1970 UTC. Undefined if there is none.
 */
export function agreedSince(model: Told, time: number): number | undefined {
  const { roster, minuteBegan, traffic } = model
  const members = (roster?.members ?? []).filter(({ reachable }) => reachable)
  const voters = members.reduce((sum, { names }) => sum + names.length, 0)
  if (roster === undefined || voters < roster.superValidators.threshold) return undefined
  const earliest = Math.max(time, ...model.disagreements.map(({ at }) => Date.parse(at)))
  let since: number | undefined
  for (let back = 0; minuteBegan - back * minuteMs >= earliest; back++) {
    const votes = members.map((member) => votesOf(member, back))
    if (votes.some((each) => each === undefined || troubles(each) > 0)) break
    if ((traffic.at(-1 - back)?.failed ?? 0) > 0) break
    if (votes.every((each) => each !== undefined && each.agree > 0)) since = minuteBegan - back * minuteMs
  }
  return since
}

function votesOf({ hour }: ShownMember, back: number) {
  return hour.minutes.at(-1 - back)
}

function troubles({ dissent, split, unchecked, fault }: ShownMember['hour']['votes']): number {
  return dissent + split + unchecked + fault
}

/** What was not well in the last hour. */
export interface HourTroubles {
  /** Votes in which somebody contradicted the answer, and did not take it back. */
  readonly contradictions: number
  /** Votes in which all who contradicted the answer gave it when they were asked again. */
  readonly ended: number
  readonly failed: number
}

/**
 * Counts what was not well in the last hour. A read of a caller that fails is counted with the traffic, and where super
 * validators were asked also among the cases, as look-ups of the page are.
 */
export function troublesOf({ disagreements, traffic, machine }: Told): HourTroubles {
  const recent = disagreements.filter(({ at }) => machine - Date.parse(at) < hourMs)
  const agreed = recent.filter(({ outcome }) => outcome === 'agreed')
  const ended = agreed.filter(hasEnded).length
  const unanswered = recent.filter(({ outcome, read }) => outcome !== 'agreed' && read !== 'roster').length
  const ofCallers = traffic.reduce((sum, { failed }) => sum + failed, 0)
  return { contradictions: agreed.length - ended, ended, failed: Math.max(unanswered, ofCallers) }
}

function hasEnded({ dissent }: Case): boolean {
  const filed = Object.values(dissent)
  return filed.length > 0 && filed.every((filing) => filing === 'lag')
}
