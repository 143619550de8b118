import type { AnswerProvenance, HeardVote } from '../cache/provenance.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Inquiry } from './inquiry.ts'

/** Returns what each voter had replied when the quorum agreed; later replies change nothing. */
export function provenanceOf(
  { roster, plan, ballots, heardAt }: Inquiry,
  { rule, members }: Extract<Verdict, { kind: 'agreed' }>,
): AnswerProvenance {
  const agreedAt = heardAt.reduce((latest, at) => Math.max(latest, at), 0)
  const heard = plan.heard.map((reply, index): HeardVote | undefined => {
    if (reply === undefined) return undefined
    return {
      outcome: outcomeIn(reply),
      agrees: members.includes(index),
      digest: ballots.digestOf(index),
      agoMs: Math.max(0, agreedAt - (heardAt[index] ?? agreedAt)),
    }
  })
  return { rule, electors: roster, heard }
}

function outcomeIn(reply: Reply): string {
  return reply.kind === 'fault' ? reply.fault : reply.kind
}
