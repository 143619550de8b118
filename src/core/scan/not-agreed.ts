import { type QuorumReached, SpliceError } from '../../base/errors/splice.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { isOwnLimit, type Reply } from '../quorum/reply.ts'
import { isVote, meetThreshold, operatorsOf, tally } from '../quorum/tally.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { whyPathUnknown } from '../reads/releases.ts'
import { isKnownAbstention, lacksHistory, lacksPath } from '../reads/replies.ts'
import { retryAfterSeconds } from './discovery.ts'
import type { Inquiry } from './inquiry.ts'
import type { Roster } from './roster.ts'

/**
 * Returns an error if the threshold is above the number of votes, so that no answer can reach it.
 * Super validators that share an origin have one vote together, so votes may be fewer than super
 * validators.
 */
export function thresholdProblem({ superValidators, voters }: Electorate): SpliceError | undefined {
  const { threshold } = superValidators
  const votes = voters.length
  if (threshold <= votes) return undefined
  return new SpliceError('thresholdAboveRoster', { threshold, votes }, { retryAfter: retryAfterSeconds })
}

/**
 * Whether all scans may lack the path of the read, or the requested part of the history. The daemon
 * can be certain only when every voter has replied.
 */
export function mayBeMissing(inquiry: Inquiry): boolean {
  return mayBeGone(inquiry) || mayBePruned(inquiry)
}

function mayBePruned({ read, heard }: Inquiry): boolean {
  return read.holders !== undefined && heard.some((reply) => reply?.kind === 'abstention')
}

function mayBeGone(inquiry: Inquiry): boolean {
  const { heard, electorate } = inquiry
  const { n, f } = electorate.superValidators
  const lacking = votersWithoutPath(inquiry)
  const isOther = (reply: Reply | undefined, voter: number) =>
    reply !== undefined && reply.kind !== 'fault' && !lacking.includes(voter)
  return lacking.length >= Math.min(n - f, electorate.voters.length) && !heard.some(isOther)
}

/** Returns why nothing was agreed, for the log and the evidence. */
export function reasonOf(inquiry: Inquiry, { kind, rule }: Verdict): string {
  return kind === 'agreed' ? rule : (pathProblem(inquiry)?.message ?? rule)
}

function votersWithoutPath({ heard }: Inquiry): readonly number[] {
  return heard.flatMap((reply, voter) =>
    reply?.kind === 'abstention' && lacksPath(reply.reason) ? [voter] : [],
  )
}

function pathOf(inquiry: Inquiry): { readonly path: string; readonly why: string } {
  const { read, connections } = inquiry
  const [path = read.scanPath] = read.forms?.paths ?? []
  const releases = votersWithoutPath(inquiry).map((voter) => connections[voter]?.release)
  return { path, why: whyPathUnknown(path, releases) }
}

/**
 * Returns an error if scans that do not know the path of the read prevented agreement: together with
 * a group of equal votes, they could have completed a quorum. If there are enough votes that differ,
 * these scans must also be more than f, so that liars cannot make a disagreement look harmless.
 */
function pathProblem(inquiry: Inquiry): SpliceError | undefined {
  const lacking = votersWithoutPath(inquiry)
  const { threshold, n: total, f } = inquiry.electorate.superValidators
  if (lacking.length <= f && usableVoters(inquiry) >= threshold) return undefined
  if (!couldHaveAgreed(inquiry, lacking)) return undefined
  const values = { lacking: lacking.length, total, ...pathOf(inquiry) }
  return new SpliceError('pathUnknownToScans', values, { quorum: quorumReached(inquiry) })
}

/**
 * Returns the error for a read without agreement. The first case that applies decides:
 * - Enough voters lack the requested part of the history (`historyProblem`).
 * - Every voter has replied or failed, and all scans may lack the path: `goneFromScans`, because a
 *   retry cannot help.
 * - This daemon's own limits prevented agreement: `tooManyReads`, which does not blame the scans.
 * - The read continues a page, and too few of those that gave it give the next one.
 * - Too few scans know the path of the read: `pathUnknownToScans`.
 * - Fewer voters than the threshold are usable: `scansHeldBack` if the missing voters only wait for
 *   a pause or a rate limit, else `notEnoughScans`.
 * - The replies differ: `noConsensus`.
 *
 * The texts of `notEnoughScans` and `noConsensus` are those of Splice (BftScanConnection.scala).
 */
export function notAgreed(inquiry: Inquiry, now: number): SpliceError {
  const history = historyProblem(inquiry, now)
  if (history !== undefined) return history
  const { heard, asked, electorate } = inquiry
  const { threshold, n: total } = electorate.superValidators
  if (mayBeGone(inquiry) && heard.every((reply) => reply !== undefined))
    return new SpliceError('goneFromScans', pathOf(inquiry))
  const quorum = quorumReached(inquiry)
  if (isOverloaded(inquiry)) return new SpliceError('tooManyReads', {}, { retryAfter: 1, quorum })
  if (inquiry.question.page !== undefined) {
    const values = { agreed: quorum.agreed, group: inquiry.group, threshold }
    return new SpliceError('pageNotContinued', values, { quorum })
  }
  const path = pathProblem(inquiry)
  if (path !== undefined) return path
  const usable = usableVoters(inquiry)
  if (usable < threshold) return tooFew(inquiry, { usable, total, threshold }, quorum)
  return new SpliceError('noConsensus', { asked, threshold }, { quorum })
}

/**
 * Whether this daemon's own limits prevented agreement: a request failed as `busy`, and the voters
 * whose requests failed as `busy` or `held-back` could have completed a quorum.
 */
function isOverloaded(inquiry: Inquiry): boolean {
  const { heard } = inquiry
  const isBusy = heard.some((reply) => reply?.kind === 'fault' && reply.fault === 'busy')
  if (!isBusy) return false
  const own = heard.flatMap((reply, index) => (reply !== undefined && isOwnLimit(reply) ? [index] : []))
  return couldHaveAgreed(inquiry, own)
}

/** Whether a group of equal votes, or no vote at all, would be a quorum if these voters joined it. */
function couldHaveAgreed({ heard, electorate }: Inquiry, joining: readonly number[]): boolean {
  const { values, refusals } = tally(electorate, heard)
  const groups = [[], ...[...values, ...refusals].map(({ members }) => members)]
  return groups.some((members) => meetThreshold(electorate, members, joining))
}

/**
 * Returns the number of voters that gave a vote, or may still give a vote before the deadline. A
 * voter that was asked and has not replied counts only if a connection to its scan is open: a scan
 * without an open connection may be unreachable.
 */
function usableVoters({ heard, unasked, connections, isBeforeDeadline }: Inquiry): number {
  const mayAnswer = (index: number) => {
    const connection = connections[index]
    if (!isBeforeDeadline || connection === undefined || connection.health.reachable === false) return false
    return unasked.includes(index) || connection.node.isConnected
  }
  return heard.filter((reply, index) => (reply === undefined ? mayAnswer(index) : isVote(reply))).length
}

function heldBackMs(inquiry: Inquiry): readonly number[] {
  const { heard, aside } = inquiry
  const waits = heard.flatMap((reply, index) => {
    if (reply?.kind !== 'fault' || reply.fault !== 'held-back' || aside.includes(index)) return []
    return inquiry.waitMs(index)
  })
  return waits.sort((a, b) => a - b)
}

const longestRetrySeconds = 60

function tooFew(
  inquiry: Inquiry,
  values: { readonly usable: number; readonly total: number; readonly threshold: number },
  quorum: QuorumReached,
): SpliceError {
  const waits = heldBackMs(inquiry)
  const heldBack = waits.length
  // If k more usable voters are needed, a retry can succeed when k of the waits are over. `waits`
  // is in ascending order, so the k-th wait is at index k - 1.
  const waitMs = waits[values.threshold - values.usable - 1]
  if (waitMs === undefined) return new SpliceError('notEnoughScans', values, { quorum })
  const retryAfter = Math.min(longestRetrySeconds, Math.max(1, Math.ceil(waitMs / 1000)))
  return new SpliceError('scansHeldBack', { ...values, heldBack }, { retryAfter, quorum })
}

/**
 * Returns an error if at least `min(n - f, number of voters)` voters lack the history that the read
 * needs. A voter lacks it if the scan said so before (`Holdings`), or abstained because it has not
 * loaded the history. An abstention with an unknown text (`isKnownAbstention`) counts too.
 */
function historyProblem(inquiry: Inquiry, now: number): SpliceError | undefined {
  const { question, heard, electorate, connections } = inquiry
  const { read, params } = question
  const holding = read.holders?.of(params)
  if (holding === undefined) return undefined
  let notKept = 0
  let notLoaded = 0
  for (const [index, reply] of heard.entries()) {
    if (reply === undefined || reply.kind === 'fault') continue
    if (reply.kind === 'abstention') {
      if (lacksHistory(reply.reason)) notLoaded++
      else if (!isKnownAbstention(reply.reason)) notKept++
    } else if (connections[index]?.holdings.lacks(holding, now) === true) notKept++
  }
  const { n, f } = electorate.superValidators
  if (notKept + notLoaded < Math.min(n - f, electorate.voters.length)) return undefined
  const code = notLoaded > notKept ? 'historyNotLoaded' : 'historyNotKept'
  return new SpliceError(code, {}, { quorum: quorumReached(inquiry) })
}

/**
 * Returns how close an inquiry without agreement came to a quorum, such as the size of the largest
 * group of equal votes.
 */
export function quorumReached({ heard, asked, electorate, roster, aside }: Inquiry): QuorumReached {
  const { values, refusals } = tally(electorate, heard)
  const groups = [values[0]?.members ?? [], refusals[0]?.members ?? []]
  const [largest = []] = groups.sort((a, b) => b.length - a.length)
  const none = noVotes(electorate, roster)
  return {
    ...none,
    agreed: largest.length,
    asked,
    ...(aside.length > 0 && { setAside: aside.length }),
    ...(none.operators && {
      operators: { ...none.operators, agreed: operatorsOf(electorate, largest) },
    }),
  }
}

export function quorumOfNobody(roster: Roster, read: string): QuorumReached {
  return noVotes(roster.electorate(read), roster)
}

function noVotes(electorate: Electorate, roster: Roster): QuorumReached {
  const { superValidators, operators } = electorate
  return {
    agreed: 0,
    threshold: superValidators.threshold,
    asked: 0,
    voters: superValidators.n,
    ...(operators && { operators: { agreed: 0, threshold: operators.threshold, voters: operators.n } }),
    protected: roster.protects(electorate),
  }
}
