import type { QuorumReached } from '../errors/splice.ts'
import type { Electorate } from '../quorum/electorate.ts'
import { operatorsOf, tally } from '../quorum/tally.ts'
import type { Inquiry } from './inquiry.ts'
import type { Roster } from './roster.ts'

/**
 * Returns how close an inquiry without agreement came to a quorum, such as the size of the largest
 * group of equal votes.
 */
export function quorumReached({ plan, electorate, roster, aside }: Inquiry): QuorumReached {
  const { values, refusals } = tally(electorate, plan.heard)
  const groups = [values[0]?.members ?? [], refusals[0]?.members ?? []]
  const [largest = []] = groups.sort((a, b) => b.length - a.length)
  const none = noVotes(electorate, roster)
  return {
    ...none,
    agreed: largest.length,
    asked: plan.asked,
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
