import type { IncomingHttpHeaders } from 'node:http'
import { SpliceError } from '../errors/splice.ts'

const liveHeader = 'x-bft-live'
const notBeforeHeader = 'x-bft-not-before'

const dateItem = /^@(-?\d{1,15})$/

/**
 * Returns the earliest time at which the answer may have been agreed, in milliseconds since 1970.
 * Undefined if the caller accepts an answer of any age.
 * @throws SpliceError `malformedHeader`
 */
export function notBeforeOf(headers: IncomingHttpHeaders, wall: number): number | undefined {
  const live = headers[liveHeader]
  const notBefore = headers[notBeforeHeader]
  if (live === undefined && notBefore === undefined) return undefined
  const since = notBefore === undefined ? undefined : milliseconds(notBefore)
  if (live === undefined || !isTrue(live)) return since
  return since === undefined ? wall : Math.max(wall, since)
}

function milliseconds(given: string | string[]): number {
  const [, seconds] = dateItem.exec(String(given)) ?? []
  if (seconds === undefined)
    throw malformed(notBeforeHeader, given, 'a time in seconds since 1970 after an @, such as @1767225600')
  return Number(seconds) * 1000
}

function isTrue(given: string | string[]): boolean {
  if (given === '?1') return true
  if (given === '?0') return false
  throw malformed(liveHeader, given, '?1 or ?0')
}

const longestValue = 100

function malformed(name: string, given: string | string[], what: string): SpliceError {
  const value = String(given).slice(0, longestValue)
  return new SpliceError('malformedHeader', { name, value, what })
}
