import type { Agreement } from '../cache/agreement.ts'
import type { Answer } from '../cache/answer.ts'
import { canonicalJson, type Json } from '../lib/canonical-json.ts'
import { digest } from '../lib/digest.ts'
import { ownBytes } from '../lib/own-bytes.ts'
import { type Group, meets, operatorsOf } from '../quorum/electorate.ts'
import type { Verdict } from '../quorum/verdict.ts'
import { earliest } from '../reads/instant.ts'
import type { Content } from './ballots.ts'
import type { Inquiry } from './inquiry.ts'
import type { Roster } from './roster.ts'

type Agreed = Extract<Verdict, { kind: 'agreed' }>

/**
 * What is served for an agreed verdict: the bytes that a whole threshold sent identically, else the re-encoding of the
 * voted value (quorum.md 8).
 */
export function agreedAnswer(inquiry: Inquiry, verdict: Agreed): Answer {
  const agreement = agreementOf(inquiry, verdict)
  if (verdict.on === 'items') return answerOf(inquiry, agreement, 200, mergedList(inquiry, verdict))
  if (verdict.on === 'history') return answerOf(inquiry, agreement, 200, beginning(inquiry, verdict))
  const content = inquiry.ballots.content(verdict.vote)
  if (content.kind === 'refusal') {
    const body = encode({ error: content.value })
    return { kind: 'absence', status: content.status, body, digest: digest(body), agreement }
  }
  return answerOf(inquiry, agreement, content.status, content.value, sentIdentically(inquiry, content))
}

/** Digest of the canonical form of what was agreed: what a dissenter should have said. */
export function agreedDigest(inquiry: Inquiry, verdict: Agreed): string {
  if (verdict.on === 'items') return digest(canonicalJson(mergedList(inquiry, verdict) as Json))
  if (verdict.on === 'history') return digest(canonicalJson(beginning(inquiry, verdict) as Json))
  return digest(inquiry.ballots.canonical(verdict.vote))
}

/** The voted value of a list agreed item by item. */
function mergedList(inquiry: Inquiry, verdict: Extract<Agreed, { on: 'items' }>): unknown {
  const { agree } = inquiry.read
  if (agree.on !== 'items') throw new Error(`${inquiry.read.id} has no items`)
  return agree.make(
    verdict.items.map(({ key, vote }) => inquiry.ballots.item(key, vote)),
    inquiry.params,
  )
}

/** The voted beginning of a history. */
function beginning(
  { read, ballots }: Inquiry,
  { vote, length }: Extract<Agreed, { on: 'history' }>,
): unknown {
  const { agree } = read
  if (agree.on !== 'history') throw new Error(`${read.id} is no history`)
  return agree.make(agree.list(ballots.content(vote).value).slice(0, length))
}

function answerOf(
  inquiry: Inquiry,
  agreement: Agreement,
  status: number,
  value: unknown,
  sent?: Buffer,
): Answer {
  const body = sent ?? encode(value)
  const endsAt = earliest(inquiry.read.cache.ends?.(value) ?? [])
  const answer = { kind: 'value', status, body, digest: digest(body), agreement } as const
  return endsAt === undefined ? answer : { ...answer, endsAt }
}

function sentIdentically({ electorate }: Inquiry, { bodies }: Content): Buffer | undefined {
  const body = bodies.find(({ verbatim, voters }) => verbatim && meets(electorate, voters))
  return body?.bytes
}

function agreementOf({ roster, electorate, plan, read }: Inquiry, verdict: Agreed): Agreement {
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

/** In order; voters and the names of each are. */
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

function encode(value: unknown): Buffer {
  return ownBytes(JSON.stringify(value))
}
