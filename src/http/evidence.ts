import { startOfRange, startOfRangeIs } from '../reads/since.ts'
import { reads } from '../reads/table.ts'
import type { Case, EvidenceLog } from '../scan/evidence-log.ts'
import { malformed, requireKnown, type SentQuery } from './sent-query.ts'

/**
 * The subjects of recorded disagreements (`Case`) that are no reads. A `Case` has its subject in the field
 * `read`.
 * - `roster`: super validators gave different lists of super validators.
 * - `split-view`: the comparison with a peer found a contradiction.
 */
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
 * Returns the answer of `/evidence`: the recorded disagreements that the query selects, newest first. If
 * several statements share a body, the answer contains the body only once.
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
 * Whether a recorded disagreement involves this super validator. It does in two cases:
 * - The super validator contradicted the agreed answer.
 * - Nothing was agreed, and the record has the super validator's reply, or the reason why it gave no vote.
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
 * Checks that each query parameter is known and has one value. If the daemon ignored a parameter, the
 * operator would get disagreements that the query meant to exclude.
 */
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
