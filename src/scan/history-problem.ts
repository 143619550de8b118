import { SpliceError } from '../errors/splice.ts'
import { isKnownAbstention, lacksHistory } from '../reads/known-abstentions.ts'
import type { Connections } from './connections.ts'
import type { Inquiry } from './inquiry.ts'
import { quorumReached } from './quorum-reached.ts'

/**
 * Returns the error for a part of the history that is missing; undefined if fewer than `min(n - f, number of voters)`
 * voters lack the part, and for reads that need no history. A voter lacks the part in any of these cases:
 * - It gave a vote, and its own statement about its history says that it lacks the part (`Holdings`).
 * - It abstained with the text that it has not loaded the history.
 * - It abstained with a text that is no known one (`isKnownAbstention`).
 *
 * @param now `Clock.now()`.
 */
export function historyProblem(
  inquiry: Inquiry,
  connections: Pick<Connections, 'ofRoster'>,
  now: number,
): SpliceError | undefined {
  const { question, roster, plan, electorate } = inquiry
  const { read, params } = question
  const holding = read.holders?.of(params)
  if (holding === undefined) return undefined
  const known = connections.ofRoster(roster).connections
  let notKept = 0
  let notLoaded = 0
  for (const [index, reply] of plan.heard.entries()) {
    if (reply === undefined || reply.kind === 'fault') continue
    if (reply.kind === 'abstention') {
      if (lacksHistory(reply.reason)) notLoaded++
      else if (!isKnownAbstention(reply.reason)) notKept++
    } else if (known[index]?.holdings.lacks(holding, now) === true) notKept++
  }
  const { n, f } = electorate.superValidators
  if (notKept + notLoaded < Math.min(n - f, electorate.voters.length)) return undefined
  const code = notLoaded > notKept ? 'historyNotLoaded' : 'historyNotKept'
  return new SpliceError(code, {}, { quorum: quorumReached(inquiry) })
}
