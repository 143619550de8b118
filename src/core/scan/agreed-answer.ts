import { SpliceError } from '../../base/errors/splice.ts'
import { byName } from '../../base/lib/by-name.ts'
import { digest } from '../../base/lib/digest.ts'
import type { MaybePromise } from '../../base/lib/maybe-promise.ts'
import { ownBytes } from '../../base/lib/own-bytes.ts'
import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import type { AnswerProvenance, HeardVote } from '../cache/provenance.ts'
import type { Group } from '../quorum/electorate.ts'
import type { Reply } from '../quorum/reply.ts'
import { meetThreshold, operatorsOf, tally } from '../quorum/tally.ts'
import type { AgreedVerdict, Verdict } from '../quorum/verdict.ts'
import type { RefusalStatement, Statement } from './ballots.ts'
import type { Inquiry } from './inquiry.ts'
import { JudgeFailed } from './judge-thread.ts'
import type { Printed, ServedPart } from './judgement.ts'
import { quorumReached } from './not-agreed.ts'
import type { Roster } from './roster.ts'

/**
 * Returns the answer for an agreed verdict. The body of an agreed value is the bytes that enough
 * voters sent identically, or else the value as the daemon encodes it
 * (quorum.md#only-voted-bytes-are-served).
 * @throws SpliceError `notEncoded` if the judge thread cannot encode the value.
 */
export async function agreedAnswer(inquiry: Inquiry, verdict: AgreedVerdict): Promise<Answer> {
  const provenance = inquiry.keepsProvenance ? provenanceOf(inquiry, verdict) : undefined
  const origin = { agreement: agreementOf(inquiry, verdict), ...(provenance && { provenance }) }
  if (verdict.on === 'refusal') return absenceOf(inquiry.ballots.statement(verdict.vote), origin)
  const sent = verdict.on === 'value' ? sentIdentically(inquiry, verdict.vote) : undefined
  if (sent !== undefined) return answerOf(sent, origin)
  try {
    return answerOf(withNextPage(await print(inquiry, verdict), inquiry, verdict), origin)
  } catch (error) {
    if (!(error instanceof JudgeFailed)) throw error
    const options = { retryAfter: 1, quorum: quorumReached(inquiry), cause: error }
    throw new SpliceError('notEncoded', {}, options)
  }
}

/**
 * Returns the constant answer (`Read.undecided`) that some reads give if too many scans abstain.
 * The result is undefined for all other reads, which then fail. Where no more than f voters failed,
 * it was the abstentions that prevented a decision, whichever of both came first.
 */
export function undecidedAnswer(inquiry: Inquiry, { kind }: Verdict): Answer | undefined {
  const { read, heard, electorate } = inquiry
  const { undecided } = read
  if (undecided === undefined || kind === 'disputed') return undefined
  const { abstained, faulted } = tally(electorate, heard)
  const isUnreachable = abstained.length === 0 || faulted.length > electorate.superValidators.f
  if (kind === 'unreachable' && isUnreachable) return undefined
  const body = ownBytes(JSON.stringify(undecided))
  const agreement = agreementOf(inquiry, { on: 'value', members: [] })
  return { kind: 'value', status: 200, body, digest: digest(body), agreement }
}

/**
 * Returns the digest of the agreed value or refusal, to compare a dissenter's statement with it.
 * @throws JudgeFailed if the judge thread cannot process a body.
 */
export async function agreedDigest(inquiry: Inquiry, verdict: AgreedVerdict): Promise<string> {
  const { ballots } = inquiry
  if (verdict.on === 'items' || verdict.on === 'history')
    return (await ballots.print(voteOf(verdict), choiceOf(verdict))).canonicalDigest as string
  const statement = ballots.statement(verdict.vote)
  await statement.compare()
  return statement.comparison?.digest as string
}

type ServedValue = Pick<Printed, 'body' | 'digest' | 'endsAt' | 'version'>

function print({ ballots, electorate }: Inquiry, verdict: AgreedVerdict): MaybePromise<Printed> {
  const choice = choiceOf(verdict)
  const own = ballots.ownTexts(verdict.members, (some) => meetThreshold(electorate, some))
  return ballots.print(voteOf(verdict), { ...choice, own })
}

function voteOf(verdict: AgreedVerdict): string | undefined {
  return verdict.on === 'items' ? undefined : verdict.vote
}

/** Puts the token of the next page at the end of a printed page, in place of its mark. */
function withNextPage(served: ServedValue, inquiry: Inquiry, verdict: AgreedVerdict): ServedValue {
  const next = inquiry.nextPage(verdict)
  if (next === undefined) return served
  const end = `${JSON.stringify(inquiry.read.pages?.mark)}}`
  const length = served.body.length - end.length
  if (served.body.toString('latin1', length) !== end) throw new Error('a page does not end with its token')
  const parts = [served.body.subarray(0, length), Buffer.from(`${JSON.stringify(next)}}`)]
  const body = ownBytes(Buffer.concat(parts))
  return { ...served, body, digest: digest(body) }
}

function choiceOf(verdict: AgreedVerdict): ServedPart {
  if (verdict.on === 'items') return { on: 'items', items: verdict.items }
  return verdict.on === 'history' ? { on: 'history', length: verdict.length } : { on: 'whole' }
}

type AnswerOrigin = Pick<Answer, 'agreement' | 'provenance'>

function answerOf({ body, digest: known, endsAt, version }: ServedValue, origin: AnswerOrigin): Answer {
  return {
    kind: 'value',
    status: 200,
    body,
    digest: known,
    ...origin,
    ...(endsAt !== undefined && { endsAt }),
    ...(version !== undefined && { version }),
  }
}

function absenceOf(statement: Statement, origin: AnswerOrigin): Answer {
  const { status, text } = statement as RefusalStatement
  const body = ownBytes(JSON.stringify({ error: text }))
  return { kind: 'absence', status, body, digest: digest(body), ...origin }
}

function sentIdentically({ electorate, ballots }: Inquiry, vote: string): ServedValue | undefined {
  const { bodies } = ballots.statement(vote)
  const body = bodies.find(
    ({ judged, voters }) => judged?.verbatim === true && meetThreshold(electorate, voters),
  )
  if (body?.judged === undefined) return undefined
  const { bytes, judged } = body
  const { endsAt, version } = judged
  return { body: bytes, digest: body.digest ?? digest(bytes), endsAt, version }
}

/**
 * Returns who agreed on an answer, and how many votes were needed. The field `protected` is true if
 * f faulty voters are too few to make up the answer (`Roster.protects`), or if the answer has the
 * hash that the request contains.
 */
export function agreementOf(
  { roster, electorate, asked }: Pick<Inquiry, 'roster' | 'electorate' | 'asked'>,
  verdict: Pick<AgreedVerdict, 'on' | 'members'> & { readonly proven?: boolean },
): Agreement {
  const { superValidators, operators } = electorate
  const isProven = verdict.on === 'value' && verdict.proven === true
  const agreement = {
    agreed: namesOf(roster, verdict.members),
    threshold: isProven ? 1 : superValidators.threshold,
    asked,
    voters: superValidators.n,
    complete: verdict.on === 'value' || verdict.on === 'refusal',
    protected: isProven || roster.protects(electorate),
  }
  if (operators === undefined) return agreement
  const agreed = operatorsOf(electorate, verdict.members)
  return {
    ...agreement,
    operators: { agreed, threshold: isProven ? 1 : operators.threshold, voters: operators.n },
  }
}

/**
 * Returns the names of the super validators that these voters stand for, sorted. The voters of a
 * roster are already in the order of their names, so sorting is needed only if a voter stands for
 * several super validators.
 */
function namesOf({ voters }: Roster, members: Group): readonly string[] {
  const names: string[] = []
  let mixed = false
  for (const member of members) {
    const own = voters[member]?.names ?? []
    mixed ||= own.length > 1
    names.push(...own)
  }
  return mixed ? names.sort(byName) : names
}

/** Returns what each voter had replied until now, which may be more than what the verdict counted. */
function provenanceOf(inquiry: Inquiry, verdict: AgreedVerdict): AnswerProvenance {
  const { roster, ballots, heardAt } = inquiry
  const agreedAt = heardAt.reduce((latest, at) => Math.max(latest, at), 0)
  const heard = inquiry.heard.map((reply, index): HeardVote | undefined => {
    if (reply === undefined) return undefined
    return {
      outcome: outcomeIn(reply),
      agrees: agreesWith(verdict, reply, index),
      digest: ballots.digestOf(index),
      agoMs: Math.max(0, agreedAt - (heardAt[index] ?? agreedAt)),
    }
  })
  return { rule: verdict.rule, electors: roster, heard }
}

function agreesWith(verdict: AgreedVerdict, reply: Reply, voter: number): boolean {
  if (verdict.on === 'items' || verdict.on === 'history') return verdict.members.includes(voter)
  return reply.kind === verdict.on && reply.vote === verdict.vote
}

function outcomeIn(reply: Reply): string {
  return reply.kind === 'fault' ? reply.fault : reply.kind
}
