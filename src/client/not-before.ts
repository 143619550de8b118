import type { CallOptions } from './methods.ts'

type WantedAge = Pick<CallOptions, 'live' | 'notBefore'>

/**
 * Returns the earliest time at which the answer may have been agreed on, in milliseconds since
 * 1970. Undefined if an answer of any age will do.
 */
export function wantedNotBefore({ live, notBefore }: WantedAge, wall: number): number | undefined {
  const since = notBefore?.getTime()
  if (!live) return since
  return since === undefined ? wall : Math.max(wall, since)
}

/**
 * The header `x-bft-not-before` has whole seconds, so the time is rounded up. The daemon rejects a
 * time in the future. If rounding would lead there, the result asks for a live read instead.
 */
export function notBeforeHeaders(wanted: WantedAge, wall: number): Readonly<Record<string, string>> {
  const since = wantedNotBefore(wanted, wall)
  if (since === undefined) return {}
  const seconds = Math.ceil(since / 1000)
  const isNow = since <= wall && (wanted.live === true || seconds * 1000 > wall)
  return isNow ? { 'x-bft-live': '?1' } : { 'x-bft-not-before': `@${seconds}` }
}
