import { cacheKey } from '../cache/key.ts'
import type { Clock } from '../lib/clock.ts'
import { digest } from '../lib/digest.ts'
import { meets } from '../quorum/electorate.ts'
import { dissenters, testimonies } from '../quorum/evidence.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Read } from '../reads/read.ts'
import { agreedDigest } from './agreed-answer.ts'
import { type Case, type EvidenceLog, longestBody, type Outcome } from './evidence-log.ts'
import type { Inquiry } from './inquiry.ts'
import type { Rechecks } from './rechecks.ts'
import type { RosterVoter } from './roster.ts'

export interface WitnessDeps {
  readonly clock: Clock
  readonly evidence: EvidenceLog
  readonly rechecks: Rechecks
  readonly voted: (voter: RosterVoter, read: Read, vote: 'agree' | 'abstain' | 'fault') => void
  /** What a dissent turned out to be. */
  readonly filed: (voter: RosterVoter, read: Read, as: Outcome) => void
}

/** Writes down who said what once a read's last straggler was heard: votes, evidence, and whom to ask again. */
export class Witness {
  readonly #deps: WitnessDeps

  constructor(deps: WitnessDeps) {
    this.#deps = deps
  }

  closed(inquiry: Inquiry): void {
    const { verdict, heard } = inquiry.plan
    if (verdict === undefined) return
    const { agree } = inquiry.read
    const against = dissenters(
      verdict,
      heard,
      agree.on === 'items' ? agree.fullPage(inquiry.params) : undefined,
    ).filter((voter) => agree.on !== 'ranked' || !hasWon(inquiry, voter))
    for (let index = 0; index < heard.length; index++) {
      const reply = heard[index]
      if (reply === undefined) continue
      const voter = inquiry.roster.voters[index] as RosterVoter
      if (reply.kind === 'abstention') this.#deps.voted(voter, inquiry.read, 'abstain')
      else if (reply.kind === 'fault') this.#deps.voted(voter, inquiry.read, 'fault')
      else if (verdict.kind === 'agreed' && !against.includes(index)) {
        this.#deps.voted(voter, inquiry.read, 'agree')
      }
    }
    if (verdict.kind === 'agreed' && against.length === 0) return
    const kept = caseOf(inquiry, verdict, against, this.#deps.clock.wall())
    this.#deps.evidence.add(kept)
    if (verdict.kind === 'agreed') this.#recheck(inquiry, agreedDigest(inquiry, verdict), against, kept)
  }

  #recheck({ roster, read, params }: Inquiry, agreed: string, against: readonly number[], kept: Case): void {
    for (const index of against) {
      const voter = roster.voters[index] as RosterVoter
      const file = (as: Outcome) => {
        for (const name of voter.names) kept.dissent[name] = as
        this.#deps.filed(voter, read, as)
      }
      this.#deps.rechecks.add({ voter, read, params, agreed, file })
    }
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

function isWhole({ on }: Extract<Verdict, { kind: 'agreed' }>): boolean {
  return on === 'value' || on === 'refusal'
}

function caseOf(inquiry: Inquiry, verdict: Verdict, against: readonly number[], wall: number): Case {
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
