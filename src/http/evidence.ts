import { SpliceError } from '../errors/splice.ts'
import { tryMilliseconds } from '../lib/clock.ts'
import { canonicalInstant } from '../reads/instant.ts'
import { reads } from '../reads/table.ts'
import type { Case, EvidenceLog } from '../scan/evidence-log.ts'

/**
 * The query of a request to `/evidence`, as it was sent: the names of the parameters, each with all its
 * values.
 */
export type SentQuery = Readonly<Record<string, readonly string[]>>

/** The disagreements that are about no read. */
const otherSubjects: readonly string[] = ['roster', 'split-view']

const parameters = ['sv', 'read', 'since', 'limit'] as const
type EvidenceQuery = Readonly<Partial<Record<(typeof parameters)[number], string>>>

export interface EvidenceSources {
  readonly evidence: Pick<EvidenceLog, 'cases' | 'bytes'>
  /** Returns the names of the super validators in the roster; undefined without a roster. */
  readonly superValidators: () => readonly string[] | undefined
  /** Returns the current time in milliseconds since 1970. */
  readonly wall: () => number
}

/**
 * Returns the answer of `/evidence`: the recorded disagreements that the query selects, newest first. A body
 * that several statements share is contained once.
 * @throws SpliceError `malformedQueryParameter`
 */
export function evidenceOf(sources: EvidenceSources, query: SentQuery): unknown {
  const { evidence } = sources
  const bodies: Record<string, string> = {}
  const cases = chosen(sources, singleValues(query)).map((kept) => ({
    ...kept,
    statements: kept.statements.map((said) => withoutBody(said, bodies)),
  }))
  return { bytes: evidence.bytes, cases, bodies }
}

function chosen(sources: EvidenceSources, { sv, read, since, limit }: EvidenceQuery): readonly Case[] {
  if (sv !== undefined) requireSuperValidator(sv, sources)
  if (read !== undefined && !otherSubjects.includes(read) && !Object.hasOwn(reads, read))
    throw malformed('read', read, 'id of a read')
  const from = since === undefined ? undefined : momentOf(since, sources.wall())
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

/**
 * Whether a disagreement involves this super validator: it contradicted the agreed answer, or took part in a
 * read on which nothing was agreed.
 */
function concerns({ dissent, outcome, statements, silent }: Case, sv: string): boolean {
  if (Object.hasOwn(dissent, sv)) return true
  return outcome !== 'agreed' && [...statements, ...silent].some(({ who }) => who.includes(sv))
}

function requireSuperValidator(sv: string, { superValidators, evidence }: EvidenceSources): void {
  const known = superValidators()
  if (known === undefined || known.includes(sv) || evidence.cases().some((kept) => concerns(kept, sv))) return
  throw malformed('sv', sv, 'name of a super validator of the roster')
}

/**
 * Checks the query: each parameter must be known and have one value. If a parameter were ignored, the
 * operator would get cases that do not fit the question.
 */
function singleValues(query: SentQuery): EvidenceQuery {
  const entries = Object.entries(query).map(([name, values]) => {
    if (!parameters.some((known) => known === name))
      throw malformed(name, name, `name of a query parameter: ${parameters.join(', ')}`)
    if (values.length > 1)
      throw malformed(name, values.join(', '), 'single value, and the parameter may be given only once')
    return [name, values[0]]
  })
  return Object.fromEntries(entries)
}

/**
 * Parses the start of a time range: a time, a date in UTC, or a duration before now. Returns milliseconds
 * since 1970.
 * @throws SpliceError `malformedQueryParameter`
 */
function momentOf(since: string, wall: number): number {
  const ago = durationOf(since)
  if (ago !== undefined) return wall - ago
  const instant = canonicalInstant(since.length === dateLength ? `${since}T00:00:00Z` : since)
  if (instant === undefined)
    throw malformed('since', since, 'time (2026-11-21T08:46:00Z), date (2026-11-21) or duration (1h30m)')
  return Date.parse(instant)
}

const dateLength = '2026-11-21'.length

/**
 * Parses a duration that may have several parts, such as `1h30m`. Returns milliseconds; undefined if the text
 * is no duration.
 */
function durationOf(text: string): number | undefined {
  const parts = text.match(/[\d.]+[a-z]+/g)
  if (parts?.join('') !== text) return undefined
  const all = parts.map(tryMilliseconds)
  return all.every((ms) => ms !== undefined) ? all.reduce((sum, ms) => sum + ms, 0) : undefined
}

function countOf(limit: string): number {
  if (!/^[1-9]\d{0,8}$/.test(limit)) throw malformed('limit', limit, 'number from 1 to 999999999')
  return Number(limit)
}

function malformed(name: string, value: string, what: string): SpliceError {
  return new SpliceError('malformedQueryParameter', { name, value, what })
}

function withoutBody({ body, ...said }: Case['statements'][number], bodies: Record<string, string>) {
  bodies[said.digest] = body
  return said
}
