import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { digest } from '../lib/digest.ts'
import { type MaybePromise, whenKnown } from '../lib/maybe-promise.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { type Group, meets, operatorsOf } from '../quorum/electorate.ts'
import type { Verdict } from '../quorum/verdict.ts'
import type { Inquiry } from './inquiry.ts'
import type { Printed, ServedPart } from './judgement.ts'
import type { Roster } from './roster.ts'
import type { RefusalStatement, Statement } from './statement.ts'

type Agreed = Extract<Verdict, { kind: 'agreed' }>

/**
 * Builds the answer for an agreed verdict: the bytes that a whole threshold sent identically, else the
 * re-encoded voted value (quorum.md#only-voted-bytes-are-served). A value always has status 200.
 * @throws JudgeFailed by its promise.
 */
export function agreedAnswer(inquiry: Inquiry, verdict: Agreed): MaybePromise<Answer> {
  const agreement = agreementOf(inquiry, verdict)
  if (verdict.on === 'refusal') return absenceOf(inquiry.ballots.statement(verdict.vote), agreement)
  const sent = verdict.on === 'value' ? sentIdentically(inquiry, verdict.vote) : undefined
  if (sent !== undefined) return answerOf(sent, agreement)
  return whenKnown(print(inquiry, verdict), (made) => answerOf(made, agreement))
}

/**
 * Returns the read's constant answer if too many scans abstain (`undecided` of its row); undefined if that is
 * an error. No quorum agreed on this answer.
 */
export function undecidedAnswer({ read, plan, electorate, roster }: Inquiry): Answer | undefined {
  if (read.undecided === undefined) return undefined
  const body = ownBytes(JSON.stringify(read.undecided))
  const { threshold, n } = electorate.superValidators
  const isProtected = roster.isProtected(read.id)
  const agreement = {
    agreed: [],
    threshold,
    asked: plan.asked,
    voters: n,
    complete: true,
    protected: isProtected,
  }
  return { kind: 'value', status: 200, body, digest: digest(body), agreement }
}

/**
 * Returns the digest of the canonical form of the agreed value: what a dissenter should have sent.
 * @throws JudgeFailed by its promise.
 */
export function agreedDigest(inquiry: Inquiry, verdict: Agreed): MaybePromise<string> {
  const { ballots } = inquiry
  if (verdict.on === 'items' || verdict.on === 'history')
    return whenKnown(print(inquiry, verdict), ({ canonicalDigest }) => canonicalDigest as string)
  const statement = ballots.statement(verdict.vote)
  return whenKnown(statement.compare(), () => statement.comparison?.digest as string)
}

type Served = Pick<Printed, 'body' | 'digest' | 'endsAt'>

function print({ ballots }: Inquiry, verdict: Agreed): MaybePromise<Printed> {
  return ballots.print(verdict.on === 'items' ? undefined : verdict.vote, choiceOf(verdict))
}

function choiceOf(verdict: Agreed): ServedPart {
  if (verdict.on === 'items') return { on: 'items', items: verdict.items }
  return verdict.on === 'history' ? { on: 'history', length: verdict.length } : { on: 'whole' }
}

function answerOf({ body, digest: known, endsAt }: Served, agreement: Agreement): Answer {
  const answer = { kind: 'value', status: 200, body, digest: known, agreement } as const
  return endsAt === undefined ? answer : { ...answer, endsAt }
}

function absenceOf(statement: Statement, agreement: Agreement): Answer {
  const { status, text } = statement as RefusalStatement
  const body = ownBytes(JSON.stringify({ error: text }))
  return { kind: 'absence', status, body, digest: digest(body), agreement }
}

function sentIdentically({ electorate, ballots }: Inquiry, vote: string): Served | undefined {
  const { bodies } = ballots.statement(vote)
  const body = bodies.find(({ verbatim, voters }) => verbatim && meets(electorate, voters))
  if (body === undefined) return undefined
  return { body: body.bytes, digest: body.digest ?? digest(body.bytes), endsAt: body.endsAt }
}

/** Says who agreed, out of how many. */
export function agreementOf(
  { roster, electorate, plan, read }: Pick<Inquiry, 'roster' | 'electorate' | 'plan' | 'read'>,
  verdict: Agreed,
): Agreement {
  const { superValidators, operators } = electorate
  const isProven = verdict.on === 'value' && verdict.proven === true
  const agreement = {
    agreed: namesOf(roster, verdict.members),
    threshold: isProven ? 1 : superValidators.threshold,
    asked: plan.asked,
    voters: superValidators.n,
    complete: verdict.on === 'value' || verdict.on === 'refusal',
    protected: isProven || roster.isProtected(read.id),
  }
  if (operators === undefined) return agreement
  const agreed = operatorsOf(electorate, verdict.members)
  return {
    ...agreement,
    operators: { agreed, threshold: isProven ? 1 : operators.threshold, voters: operators.n },
  }
}

/** Returns the names of the super validators of these voters, sorted. */
function namesOf({ voters }: Roster, members: Group): readonly string[] {
  const names: string[] = []
  let mixed = false
  for (const member of members) {
    const own = voters[member]?.names ?? []
    mixed ||= own.length > 1
    names.push(...own)
  }
  return mixed ? names.sort() : names
}
