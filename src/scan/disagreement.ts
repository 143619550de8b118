import { cacheKey } from '../cache/key.ts'
import { digest } from '../lib/digest.ts'
import { type Group, meets } from '../quorum/electorate.ts'
import { dissenters, testimonies } from '../quorum/evidence.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { agreedDigest } from './agreed-answer.ts'
import { type Case, longestBody } from './evidence-log.ts'
import type { Inquiry } from './inquiry.ts'

/** The voters whose vote contradicts what an inquiry came to. */
export function contradicting(inquiry: Inquiry, verdict: Verdict): Group {
  const { agree } = inquiry.read
  const against = dissenters(
    verdict,
    inquiry.plan.heard,
    agree.on === 'items' ? agree.fullPage(inquiry.params) : undefined,
  )
  if (agree.on !== 'ranked') return against
  return against.filter((voter) => !hasWon(inquiry, voter) && !isAnotherPick(inquiry, verdict, voter))
}

/**
 * Who said what, as it is kept.
 * @param against who contradicts the verdict.
 * @param wall milliseconds since 1970.
 */
export function caseOf(inquiry: Inquiry, verdict: Verdict, against: Group, wall: number): Case {
  const { electorate, plan, ballots, roster, read, params } = inquiry
  const said = testimonies(electorate, plan.heard)
  const names = against.flatMap((index) => roster.voters[index]?.names ?? [])
  return {
    at: new Date(wall).toISOString(),
    read: read.id,
    params: digest(cacheKey('', read.id, params)),
    outcome: verdict.kind,
    rule: verdict.rule,
    agreed: verdict.kind === 'agreed' && isWhole(verdict) ? agreedDigest(inquiry, verdict) : null,
    statements: said.flatMap(({ kind, what, who }) => {
      if (kind !== 'value' && kind !== 'refusal') return []
      const canonical = ballots.canonical(what)
      return [{ kind, digest: digest(canonical), body: canonical.slice(0, longestBody), who }]
    }),
    silent: said.flatMap(({ kind, what, who }) =>
      kind === 'abstention' || kind === 'fault' ? [{ kind, what, who }] : [],
    ),
    dissent: Object.fromEntries(names.map((name) => [name, 'pending' as const])),
  }
}

/** Of several values that a threshold gave, one is served, and those behind the others said nothing wrong. */
function hasWon({ electorate, plan: { heard } }: Inquiry, voter: number): boolean {
  const said = heard[voter]
  if (said?.kind !== 'value') return false
  const group = heard.flatMap((reply, other) =>
    reply?.kind === 'value' && reply.vote === said.vote ? [other] : [],
  )
  return meets(electorate, group)
}

/** Where each scan picks one of several, another pick than the one served is as true. */
function isAnotherPick(
  { read: { agree }, plan, ballots }: Inquiry,
  verdict: Verdict,
  voter: number,
): boolean {
  if (agree.on !== 'ranked' || agree.isPick === undefined) return false
  const said = plan.heard[voter]
  if (said?.kind !== 'value' || verdict.kind !== 'agreed' || verdict.on !== 'value') return false
  return agree.isPick(ballots.content(said.vote).value) && agree.isPick(ballots.content(verdict.vote).value)
}

function isWhole({ on }: Extract<Verdict, { kind: 'agreed' }>): boolean {
  return on === 'value' || on === 'refusal'
}
