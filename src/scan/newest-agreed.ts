import type { Answer } from '../cache/answer.ts'
import { cacheKey } from '../cache/key.ts'
import type { Sighting } from '../guard/floor.ts'
import type { FloorId } from '../guard/floors.ts'
import type { Group } from '../quorum/electorate.ts'
import { longestPrefix } from '../quorum/history.ts'
import { decide } from '../quorum/rules.ts'
import { tally } from '../quorum/tally.ts'
import { meetThreshold } from '../quorum/threshold-met.ts'
import type { AgreedVerdict } from '../quorum/verdict.ts'
import type { Question } from '../reads/read.ts'
import type { Inquiry } from './inquiry.ts'
import type { Roster } from './roster.ts'

const newestRule = 'of what a threshold gave, this is the newest, and an answer before it was older'

const absentStatus = 404

/**
 * Returns the id of a question in the rollback guard, which prevents answers older than those
 * served before. If the DSO is not known, the trust digest of the roster replaces it.
 */
export function floorIdOf(network: string, { read, params }: Question, roster: Roster): FloorId {
  const { set, trustDigest } = roster
  const whose = JSON.stringify([network, set.dso || trustDigest])
  return {
    text: cacheKey(whose, read.id, params),
    isOfUnboundedRead: read.version?.hasUnboundedQuestions === true,
  }
}

export function sightingOf({ read }: Question, answer: Answer): Sighting | undefined {
  if (read.version === undefined) return undefined
  if (answer.kind === 'value') return { kind: 'value', version: answer.version, endsAt: answer.endsAt }
  return answer.status === absentStatus ? { kind: 'absence', after: read.version.absence } : undefined
}

/**
 * Returns the newest value that enough voters gave; or, if it is longer, the beginning of a history
 * that enough voters share; or else a refusal that enough voters gave. All replies must have
 * arrived, and the caller must have awaited `Ballots.compare`.
 */
export function newestAgreed(inquiry: Inquiry): AgreedVerdict | undefined {
  const { electorate, plan, ballots, read } = inquiry
  if (read.agree.on === 'reached') return latestReached(inquiry)
  const { values, refusals } = tally(electorate, plan.heard)
  const wins = ({ members }: { readonly members: Group }) => meetThreshold(electorate, members)
  const versionOf = (vote: string) => ballots.statement(vote).bodies[0]?.version ?? ''
  const [newest] = values.filter(wins).sort((a, b) => (versionOf(a.vote) < versionOf(b.vote) ? 1 : -1))
  const beginning = read.agree.on === 'history' ? longestBeginning(inquiry) : undefined
  const made = { kind: 'agreed', rule: newestRule } as const
  if (newest !== undefined && lengthOf(inquiry, newest.vote) >= (beginning?.length ?? 0))
    return { ...made, on: 'value', vote: newest.vote, members: newest.members }
  if (beginning !== undefined) return { ...made, on: 'history', ...beginning }
  const refusal = refusals.find(wins)
  return refusal && { ...made, on: 'refusal', vote: refusal.vote, members: refusal.members }
}

function latestReached({ electorate, plan: { heard } }: Inquiry): AgreedVerdict | undefined {
  const verdict = decide(electorate, heard, { agree: 'reached', patient: false })
  return verdict?.kind === 'agreed' ? { ...verdict, rule: newestRule } : undefined
}

function longestBeginning({ electorate, plan: { heard } }: Inquiry) {
  const histories = heard.map((reply) => (reply?.kind === 'value' ? reply.steps : undefined))
  const { length, voters: members } = longestPrefix(electorate, histories)
  const [first] = members
  const reply = first === undefined ? undefined : heard[first]
  return length === 0 || reply?.kind !== 'value' ? undefined : { length, members, vote: reply.vote }
}

function lengthOf({ ballots }: Inquiry, vote: string): number {
  return ballots.statement(vote).comparison?.steps?.length ?? 0
}
