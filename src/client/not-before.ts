import type { CallOptions } from './methods.ts'

type Wanted = Pick<CallOptions, 'live' | 'notBefore'>

/**
 * Returns the earliest acceptable time of agreement on the answer, in milliseconds since 1970: `notBefore`
 * or, for a live read, the later of `notBefore` and `wall`. Undefined if an answer of any age is accepted.
 * @param wall the present time, from `Clock.wall()`.
 */
export function wantedNotBefore({ live, notBefore }: Wanted, wall: number): number | undefined {
  const since = notBefore?.getTime()
  if (!live) return since
  return since === undefined ? wall : Math.max(wall, since)
}

/**
 * Returns the request headers that ask a daemon for an answer of the wanted age. `x-bft-not-before` has whole
 * seconds, rounded up. For a time within the current second, it would be in the future, and the daemon would
 * reject it. The function then asks for a live read.
 */
export function notBeforeHeaders(wanted: Wanted, wall: number): Readonly<Record<string, string>> {
  const since = wantedNotBefore(wanted, wall)
  if (since === undefined) return {}
  const seconds = Math.ceil(since / 1000)
  const isNow = since <= wall && (wanted.live === true || seconds * 1000 > wall)
  return isNow ? { 'x-bft-live': '?1' } : { 'x-bft-not-before': `@${seconds}` }
}
