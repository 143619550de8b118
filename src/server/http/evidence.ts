import { reads } from '../../core/reads/table.ts'
import type { Case } from '../../core/scan/evidence-log.ts'
import type { ReadPath } from '../../core/scan/open.ts'
import { malformed, requireKnown, type SentQuery } from './sent-query.ts'
import { startOfRange, startOfRangeIs } from './since.ts'

const parameters = ['sv', 'read', 'since', 'limit'] as const
type EvidenceQuery = Readonly<Partial<Record<(typeof parameters)[number], string>>>

type EvidenceSources = Pick<ReadPath, 'evidence' | 'discovery'>

/** @param wall the present time, which a duration in the parameter `since` counts back from */
export function evidenceOf(sources: EvidenceSources, wall: number, query: SentQuery) {
  const { evidence } = sources
  const bodies: Record<string, string> = {}
  const cases = chosen(sources, wall, singleValues(query)).map((kept) => ({
    ...kept,
    statements: kept.statements.map((said) => withoutBody(said, bodies)),
  }))
  return { bytes: evidence.bytes, cases, bodies }
}

function chosen(
  sources: EvidenceSources,
  wall: number,
  { sv, read, since, limit }: EvidenceQuery,
): readonly Case[] {
  if (sv !== undefined) requireSuperValidator(sv, sources)
  if (read !== undefined && read !== 'roster' && !Object.hasOwn(reads, read))
    throw malformed('read', read, 'id of a read')
  const from = since === undefined ? undefined : momentOf(since, wall)
  const most = limit === undefined ? undefined : countOf(limit)
  return sources.evidence
    .cases()
    .filter(
      (kept) =>
        (sv === undefined || concerns(kept, sv)) &&
        (read === undefined || kept.read === read) &&
        (from === undefined || Date.parse(kept.at) >= from),
    )
    .slice(0, most)
}

function concerns({ dissent, outcome, statements, silent }: Case, sv: string): boolean {
  if (Object.hasOwn(dissent, sv)) return true
  return outcome !== 'agreed' && [...statements, ...silent].some(({ who }) => who.includes(sv))
}

function requireSuperValidator(sv: string, { discovery, evidence }: EvidenceSources): void {
  const known = discovery.roster?.membership.members.map(({ name }) => name)
  if (known === undefined || known.includes(sv) || evidence.cases().some((kept) => concerns(kept, sv))) return
  throw malformed('sv', sv, 'name of a super validator of the roster')
}

function singleValues(query: SentQuery): EvidenceQuery {
  requireKnown(query, parameters, parameters.join(', '))
  const entries = Object.entries(query).map(([name, values]) => {
    if (values.length > 1)
      throw malformed(name, values.join(', '), 'single value, and the parameter may be given only once')
    return [name, values[0]]
  })
  return Object.fromEntries(entries)
}

function countOf(limit: string): number {
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw malformed('limit', limit, 'number from 1 to 999999999')
  return Number(limit)
}

function withoutBody({ body, ...said }: Case['statements'][number], bodies: Record<string, string>) {
  bodies[said.digest] = body
  return said
}

function momentOf(since: string, wall: number): number {
  const start = startOfRange(since, wall)
  if (start === undefined) throw malformed('since', since, startOfRangeIs)
  return start
}
