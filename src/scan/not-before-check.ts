import type { CacheCaller } from '../cache/answers.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Clock } from '../lib/clock.ts'

const longestWaitSeconds = 60

/**
 * Rejects a caller that wants an answer from a future time, because no quorum can give one.
 * @throws SpliceError `behind`
 */
export function requireWithinReach({ notBefore, receivedAt }: CacheCaller, clock: Pick<Clock, 'wall'>): void {
  if (notBefore === undefined) return
  const wall = receivedAt?.wall ?? clock.wall()
  if (notBefore <= wall) return
  const seconds = Math.ceil((notBefore - wall) / 1000)
  throw new SpliceError('behind', {}, seconds <= longestWaitSeconds ? { retryAfter: seconds } : {})
}
