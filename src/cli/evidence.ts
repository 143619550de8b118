import type { LoadConfigOptions } from '../base/config/load.ts'
import { systemClock } from '../base/lib/clock.ts'
import { suggestion } from '../base/lib/similar-words.ts'
import { readIds } from '../core/reads/endpoints.ts'
import { startOfRange, startOfRangeIs } from '../server/http/since.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { misused, type Print, printJson, printLines } from './print.ts'
import { askDaemon, type DaemonEvidence, type DaemonStatus } from './running-daemon.ts'
import { statementLines } from './statement-lines.ts'
import { bounded } from './text-width.ts'

type EvidenceOptions = Chosen<'operations' | 'sv' | 'read' | 'since' | 'limit' | 'json'>

const usualLimit = 20
const knownReads: readonly string[] = [...readIds, 'roster']

export async function evidence(
  given: EvidenceOptions,
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const { sv, read, since } = given
  const limit = given.limit === undefined ? usualLimit : Number(given.limit)
  if (!Number.isInteger(limit) || limit < 1)
    return misused(print, `--limit must be a whole number of at least 1, not ${given.limit}`)
  if (read !== undefined && !knownReads.includes(read))
    return misused(print, `there is no read ${read}${suggestion(read, knownReads)}`)
  if (since !== undefined && startOfRange(since, systemClock.wall()) === undefined)
    return misused(print, `--since must be a ${startOfRangeIs}, not ${since}`)
  return askDaemon(given, print, options, async (daemon) => {
    const known = sv === undefined ? [] : namesIn(await daemon.status())
    if (sv !== undefined && known.length > 0 && !known.includes(sv))
      return misused(print, `there is no super validator ${sv}${suggestion(sv, known)}`)
    // The command asks for one case more than the limit. If the daemon returns that many, further
    // cases exist.
    const query = {
      limit: String(limit + 1),
      ...(sv !== undefined && { sv }),
      ...(read !== undefined && { read }),
      ...(since !== undefined && { since }),
    }
    const { cases: found, bodies } = await daemon.evidence(query)
    const cases = found.slice(0, limit)
    if (given.json) printJson(print, { cases, bodies: bodiesOf(cases, bodies) })
    else {
      if (cases.length === 0) print.out(noneText(given, daemon.url))
      for (const line of evidenceLines(cases, bodies)) print.out(bounded(line))
      if (found.length > limit)
        printLines(print.out, `\nEarlier ones are left out: --limit ${2 * limit} shows more.`)
    }
    return exitCodes.ok
  })
}

function namesIn({ roster }: Pick<DaemonStatus, 'roster'>): readonly string[] {
  return roster?.superValidators.flatMap(({ names }) => names) ?? []
}

function bodiesOf(
  cases: DaemonEvidence['cases'],
  bodies: DaemonEvidence['bodies'],
): DaemonEvidence['bodies'] {
  const digests = new Set(cases.flatMap(({ statements }) => statements.map(({ digest }) => digest)))
  return Object.fromEntries(Object.entries(bodies).filter(([digest]) => digests.has(digest)))
}

function noneText({ sv, read, since }: Pick<EvidenceOptions, 'sv' | 'read' | 'since'>, url: string): string {
  return sv === undefined && read === undefined && since === undefined
    ? `The daemon at ${url} has seen no disagreement.`
    : `The daemon at ${url} has seen no such disagreement.`
}

function* evidenceLines(cases: DaemonEvidence['cases'], bodies: DaemonEvidence['bodies']): Iterable<string> {
  for (const [index, kept] of cases.entries()) {
    if (index > 0) yield ''
    yield* caseLines(kept, bodies)
  }
}

function* caseLines(
  kept: DaemonEvidence['cases'][number],
  bodies: DaemonEvidence['bodies'],
): Iterable<string> {
  const { at, read, outcome, rule, agreed, statements, silent, dissent } = kept
  yield `${at}  ${read}  ${outcome}: ${rule}`
  const agreedBody = agreed === null ? undefined : bodies[agreed]
  for (const { who, digest } of statements) {
    if (digest === agreed) yield `  ${who.join(', ')} agreed`
    else for (const line of statementLines(who, bodies[digest] ?? '', agreedBody)) yield `  ${line}`
  }
  for (const { who, what } of silent) yield `  ${who.join(', ')} did not vote: ${what}`
  for (const [name, filing] of Object.entries(dissent)) yield `  filed for ${name}: ${filing}`
}
