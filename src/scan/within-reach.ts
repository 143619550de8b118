import type { CacheCaller } from '../cache/answers.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Clock } from '../lib/clock.ts'

/** A caller is told to wait at most this long. */
const longestWaitSeconds = 60

/**
 * Refuses a caller that wants an answer of the future, which no quorum can give.
 * @throws SpliceError `behind`
 */
export function requireWithinReach({ notBefore, at }: CacheCaller, clock: Pick<Clock, 'wall'>): void {
  if (notBefore === undefined) return
  const wall = at?.wall ?? clock.wall()
  if (notBefore <= wall) return
  const seconds = Math.ceil((notBefore - wall) / 1000)
  throw new SpliceError('behind', {}, seconds <= longestWaitSeconds ? { retryAfter: seconds } : {})
}
