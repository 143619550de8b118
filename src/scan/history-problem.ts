import { SpliceError } from '../errors/splice.ts'
import { knownAbstentions, lacksHistory } from '../reads/read.ts'
import type { Connections } from './connections.ts'
import type { Inquiry } from './inquiry.ts'
import { quorumReached } from './quorum-reached.ts'

/**
 * Returns the error which tells that the requested part of the history is missing, if at least `n - f` voters, or all
 * if there are fewer, lack it. A voter lacks it if its abstention names no other known reason, or if it reported so
 * about its history (`Holdings`). Returns undefined if too few voters lack it.
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
      else if (!knownAbstentions.some((pattern) => pattern.test(reply.reason))) notKept++
    } else if (known[index]?.holdings.lacks(holding, now) === true) notKept++
  }
  const { n, f } = electorate.superValidators
  if (notKept + notLoaded < Math.min(n - f, electorate.voters.length)) return undefined
  const code = notLoaded > notKept ? 'historyNotLoaded' : 'historyNotKept'
  return new SpliceError(code, {}, { quorum: quorumReached(inquiry) })
}
