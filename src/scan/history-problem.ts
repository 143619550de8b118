import { SpliceError } from '../errors/splice.ts'
import { isKnownAbstention, lacksHistory } from '../reads/known-abstentions.ts'
import type { Connections } from './connections.ts'
import type { Inquiry } from './inquiry.ts'
import { quorumReached } from './quorum-reached.ts'

/**
 * Returns an error if at least `min(n - f, number of voters)` voters lack the history that the read
 * needs. A voter lacks it if the scan said so before (`Holdings`), or abstained because it has not
 * loaded the history. An abstention with an unknown text (`isKnownAbstention`) counts too.
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
