import type { CacheCaller } from '../cache/answers.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Clock } from '../lib/clock.ts'

const longestWaitSeconds = 60

/**
 * Rejects a request whose `notBefore` is in the future: no quorum can have agreed on an answer after
 * that time.
 * @throws SpliceError `behind`
 */
export function requireWithinReach({ notBefore, receivedAt }: CacheCaller, clock: Pick<Clock, 'wall'>): void {
  if (notBefore === undefined) return
  const wall = receivedAt?.wall ?? clock.wall()
  if (notBefore <= wall) return
  const seconds = Math.ceil((notBefore - wall) / 1000)
  throw new SpliceError('behind', {}, seconds <= longestWaitSeconds ? { retryAfter: seconds } : {})
}
