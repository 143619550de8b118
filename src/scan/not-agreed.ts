import { type QuorumReached, SpliceError } from '../errors/splice.ts'
import { isOwnLimit, type Reply } from '../quorum/reply.ts'
import { counts, tally } from '../quorum/tally.ts'
import { meets } from '../quorum/threshold-met.ts'
import { lacksPath } from '../reads/known-abstentions.ts'
import type { Connections } from './connections.ts'
import { historyProblem } from './history-problem.ts'
import type { Inquiry } from './inquiry.ts'
import { quorumReached } from './quorum-reached.ts'
import { retryAfterSeconds } from './required-roster.ts'

/**
 * Returns the error of a read whose threshold is above the number of votes, so that no answer can reach it;
 * otherwise undefined. Super validators that share an origin have one vote together, so a roster may have
 * fewer votes than super validators.
 */
export function thresholdProblem({ electorate }: Pick<Inquiry, 'electorate'>): SpliceError | undefined {
  const { threshold } = electorate.superValidators
  const votes = electorate.voters.length
  if (threshold <= votes) return undefined
  return new SpliceError('thresholdAboveRoster', { threshold, votes }, { retryAfter: retryAfterSeconds })
}

/**
 * Whether all scans may lack the path of the read, or the requested part of the history. The daemon can be
 * certain only when every voter has replied.
 */
export function mayBeMissing(inquiry: Inquiry): boolean {
  return mayBeGone(inquiry) || mayBePruned(inquiry)
}

/**
 * Whether all scans may have pruned the requested part of the history. True as soon as one voter abstains:
 * the daemon then waits for all replies before it decides.
 */
function mayBePruned({ read, plan }: Inquiry): boolean {
  return read.holders !== undefined && plan.heard.some((reply) => reply?.kind === 'abstention')
}

/**
 * Whether all scans may lack the path of the read. Both of these must be true:
 * - At least `min(n - f, number of voters)` voters reported that they lack it.
 * - Every other voter failed, or has not replied yet.
 */
function mayBeGone({ plan, electorate }: Inquiry): boolean {
  const { n, f } = electorate.superValidators
  const lacking = plan.heard.filter((reply) => reply?.kind === 'abstention' && lacksPath(reply.reason)).length
  const isOther = (reply: Reply | undefined) =>
    reply !== undefined && reply.kind !== 'fault' && !(reply.kind === 'abstention' && lacksPath(reply.reason))
  return lacking >= Math.min(n - f, electorate.voters.length) && !plan.heard.some(isOther)
}

/**
 * Returns the error for a read without agreement. The first case that applies decides:
 * - Enough voters lack the requested part of the history (`historyProblem`).
 * - Every voter has replied or failed, and all scans may lack the path (`mayBeGone`): `goneFromScans`,
 *   because a retry cannot help.
 * - This daemon's own limits prevented agreement: `tooManyReads`, which does not blame the scans.
 * - Fewer voters than the threshold are usable: `scansHeldBack` if the missing voters only wait for a pause
 *   or a rate limit, else `notEnoughScans`.
 * - The replies differ: `noConsensus`.
 *
 * The texts of `notEnoughScans` and `noConsensus` are those of Splice (BftScanConnection.scala).
 * @param now `Clock.now()`.
 */
export function notAgreed(
  inquiry: Inquiry,
  connections: Pick<Connections, 'ofRoster'>,
  now: number,
): SpliceError {
  const history = historyProblem(inquiry, connections, now)
  if (history !== undefined) return history
  const { read, plan, electorate } = inquiry
  const { threshold, n: total } = electorate.superValidators
  if (mayBeGone(inquiry) && plan.heard.every((reply) => reply !== undefined))
    return new SpliceError('goneFromScans', { path: read.scanPath })
  const quorum = quorumReached(inquiry)
  if (isOverloaded(inquiry)) return new SpliceError('tooManyReads', {}, { retryAfter: 1, quorum })
  const usable = usableVoters(inquiry)
  if (usable < threshold) return tooFew(inquiry, { usable, total, threshold }, quorum)
  return new SpliceError('noConsensus', { asked: plan.asked, threshold }, { quorum })
}

/**
 * Whether this daemon's own limits prevented agreement. Both of these must be true:
 * - At least one request failed as `busy`.
 * - The voters whose requests failed as `busy` or `held-back` were enough to reach the threshold, alone or
 *   together with one of the groups of equal votes.
 */
function isOverloaded({ plan, electorate }: Inquiry): boolean {
  const isBusy = plan.heard.some((reply) => reply?.kind === 'fault' && reply.fault === 'busy')
  if (!isBusy) return false
  const own = plan.heard.flatMap((reply, index) => (reply !== undefined && isOwnLimit(reply) ? [index] : []))
  const { values, refusals } = tally(electorate, plan.heard)
  const groups = [[], ...[...values, ...refusals].map(({ members }) => members)]
  return groups.some((members) => meets(electorate, members, own))
}

/**
 * Returns the number of voters that gave a vote, or may still give one before the deadline. A voter without a
 * reply counts only if both of these are true:
 * - Its scan is not known to be unreachable.
 * - This read did not ask the voter, or the daemon has an open connection to its scan. A scan without an open
 *   connection may be about to refuse one. The daemon may learn of such a refusal only after the verdict.
 */
function usableVoters({ plan, connections, isOpen }: Inquiry): number {
  const mayAnswer = (index: number) => {
    const connection = connections[index]
    if (!isOpen || connection === undefined || connection.health.reachable === false) return false
    return plan.unasked.includes(index) || connection.node.isConnected
  }
  return plan.heard.filter((reply, index) => (reply === undefined ? mayAnswer(index) : counts(reply))).length
}

/**
 * Looks at the voters that were not asked because of a rate limit or a pause. Returns for each of them the
 * milliseconds until it may be asked, in ascending order. Voters that an operator set aside are left out.
 */
function heldBackMs({ plan, aside, turns }: Inquiry): readonly number[] {
  const waits = plan.heard.flatMap((reply, index) => {
    if (reply?.kind !== 'fault' || reply.fault !== 'held-back' || aside.includes(index)) return []
    return turns.waitMs(index)
  })
  return waits.sort((a, b) => a - b)
}

/** The maximum of `retryAfter` in seconds. It applies even if scans ask for a longer pause. */
const longestRetrySeconds = 60

function tooFew(
  inquiry: Inquiry,
  values: { readonly usable: number; readonly total: number; readonly threshold: number },
  quorum: QuorumReached,
): SpliceError {
  const waits = heldBackMs(inquiry)
  const heldBack = waits.length
  // If k more usable voters are needed, a retry can succeed when k of the waits are over. `waits` is in
  // ascending order, so the k-th wait is at index k - 1.
  const waitMs = waits[values.threshold - values.usable - 1]
  if (waitMs === undefined) return new SpliceError('notEnoughScans', values, { quorum })
  const retryAfter = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(waitMs / 1000)))
  return new SpliceError('scansHeldBack', { ...values, heldBack }, { retryAfter, quorum })
}
