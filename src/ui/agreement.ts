import { milliseconds } from '../lib/clock.ts'
import type { LiveModel, ShownMember } from './model.ts'

const minuteMs = milliseconds('1m')

/**
 * Returns since when all reachable super validators agree: the beginning of the first minute in which all of them
 * agreed, and since which none of them contradicted the others. In milliseconds since 1970 UTC. Undefined if there
 * is no such minute, or if fewer than the threshold are reachable.
 * @param time earlier minutes do not count.
 */
export function agreedSince(
  { roster, minuteBegan }: Pick<LiveModel, 'roster' | 'minuteBegan'>,
  time: number,
): number | undefined {
  const members = (roster?.members ?? []).filter(({ reachable }) => reachable)
  const voters = members.reduce((sum, { names }) => sum + names.length, 0)
  if (roster === undefined || voters < roster.superValidators.threshold) return undefined
  let since: number | undefined
  for (let back = 0; minuteBegan - back * minuteMs >= time; back++) {
    const votes = members.map((member) => votesOf(member, back))
    if (votes.some((each) => each === undefined || each.dissent + each.split + each.unchecked > 0)) break
    if (votes.every((each) => each !== undefined && each.agree > 0)) since = minuteBegan - back * minuteMs
  }
  return since
}

function votesOf({ hour }: ShownMember, back: number) {
  return hour.minutes.at(-1 - back)
}
