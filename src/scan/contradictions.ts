import { milliseconds } from '../lib/clock.ts'
import type { Case, Filing } from './evidence-log.ts'

/** The parts of a case that tell who contradicted whom. The command `status` reads them from `/evidence`. */
export type Contradiction = Pick<Case, 'at' | 'agreed' | 'partVotes' | 'outcome' | 'dissent'> & {
  readonly statements: readonly { readonly digest: string; readonly who: readonly string[] }[]
}

/**
 * Contradictions that follow one another within an hour each. `since` and `last` are the times of the first and the
 * last, in milliseconds since 1970 UTC on the clock of the daemon's machine.
 */
export interface Run {
  /** The super validators that are to blame, or whose recheck is still pending. */
  readonly who: readonly string[]
  readonly since: number
  readonly last: number
  /** Whether the rechecks after the latest contradiction of this run found that the replies no longer differed. */
  readonly isGone: boolean
  /** Whether a recheck of a contradiction of the run has not ended. */
  readonly isPending: boolean
}

const hourMs = milliseconds('1h')

/**
 * Whether more than f super validators contradicted the agreed answer at the vote, whatever their rechecks found
 * later.
 */
export function isBeyondF({ dissent, outcome }: Pick<Case, 'dissent' | 'outcome'>, f: number): boolean {
  return outcome === 'agreed' && Object.keys(dissent).length > f
}

/**
 * Whether nothing was agreed, and more than f would have to lie whichever statement is true. Where fewer would, the others
 * were silent.
 */
function isSplitBeyondF({ outcome, statements }: Contradiction, f: number): boolean {
  const sizes = statements.map(({ who }) => who.length)
  const others = sizes.reduce((sum, size) => sum + size, 0) - Math.max(0, ...sizes)
  return outcome !== 'agreed' && others > f
}

/**
 * Returns the times of the votes in which more than f super validators contradicted the agreed answer, in
 * milliseconds since 1970 UTC.
 */
export function incidentsIn(cases: readonly Contradiction[], f: number): readonly number[] {
  return cases.filter((kept) => isBeyondF(kept, f)).map(({ at }) => Date.parse(at))
}

/**
 * Returns the outcome of a recheck as it can be told. Where more than f contradicted an agreed answer within an hour, the
 * same liars may have made the recheck agree with the dissenter, so that a difference which was gone proves nothing.
 * @param incidents the times of votes in which more than f super validators contradicted the agreed answer.
 */
export function toldFiling(filing: Filing, at: string, incidents: readonly number[]): Filing {
  return filing === 'lag' && isNear(incidents, Date.parse(at)) ? 'unchecked' : filing
}

function isNear(incidents: readonly number[], time: number): boolean {
  return incidents.some((incident) => Math.abs(incident - time) < hourMs)
}

/**
 * Whether the answer of this vote, or the part of it that was agreed, had fewer than 2f+1 votes, within an hour of an
 * incident. The same liars may then have made up this answer too.
 * @param incidents the times of votes in which more than f super validators contradicted the agreed answer.
 */
export function isAmong(
  incidents: readonly number[],
  { at, agreed, partVotes, statements }: Contradiction,
  f: number,
): boolean {
  const votes = partVotes ?? statements.find(({ digest }) => digest === agreed)?.who.length ?? 0
  return votes < 2 * f + 1 && isNear(incidents, Date.parse(at))
}

/**
 * Whether this disagreement does not show who is right. The page then shows the answers as equal sides.
 * @param incidents the times of votes in which more than f super validators contradicted the agreed answer.
 */
export function isDoubtful(kept: Contradiction, f: number, incidents: readonly number[]): boolean {
  const dissenters = Object.keys(kept.dissent).length
  return kept.outcome !== 'agreed' || dissenters === 0 || dissenters > f || isAmong(incidents, kept, f)
}

/**
 * Returns the time of the latest vote in which more than f super validators contradicted the agreed answer, in
 * milliseconds since 1970; undefined if the last hour had none. The outcome of the rechecks does not matter: it does
 * not show who was right at the vote.
 */
export function lastBeyondF(cases: readonly Contradiction[], f: number, now: number): number | undefined {
  const latest = Math.max(...incidentsIn(cases, f))
  return now - latest < hourMs ? latest : undefined
}

/**
 * Returns the latest run of contradictions that do not show who is right: more than f super validators contradicted
 * the agreed answer, or nothing was agreed and the votes differed. Undefined if the last hour had none.
 * @param cases newest first.
 */
export function doubtRun(cases: readonly Contradiction[], f: number, now: number): Run | undefined {
  return runOf(
    cases.filter((kept) => isBeyondF(kept, f) || isSplitBeyondF(kept, f)),
    now,
  )
}

/**
 * Returns the latest run of contradictions in which the dissenters were outvoted, and at least one of them may be to
 * blame. Undefined if the last hour had none.
 * @param cases newest first.
 */
export function dissentRun(cases: readonly Contradiction[], f: number, now: number): Run | undefined {
  const incidents = incidentsIn(cases, f)
  return runOf(
    cases.filter((kept) => !isDoubtful(kept, f, incidents) && blamed(kept).length > 0),
    now,
  )
}

/**
 * Returns the super validators that contradicted the answer, without those that their recheck cleared or could not
 * judge.
 */
function blamed({ dissent }: Contradiction): readonly string[] {
  return Object.entries(dissent).flatMap(([name, filing]) =>
    filing === 'pending' || filing === 'dissent' ? [name] : [],
  )
}

function isGone({ dissent }: Contradiction): boolean {
  const filed = Object.values(dissent)
  return filed.length > 0 && filed.every((filing) => filing === 'lag')
}

function runOf(cases: readonly Contradiction[], now: number): Run | undefined {
  const own: Contradiction[] = []
  let before = now
  for (const kept of cases) {
    const at = Date.parse(kept.at)
    if (before - at >= hourMs) break
    own.push(kept)
    before = at
  }
  const latest = own[0]
  if (latest === undefined) return undefined
  return {
    who: [...new Set(own.flatMap(blamed))],
    since: before,
    last: Date.parse(latest.at),
    isGone: isGone(latest),
    isPending: own.some(({ dissent }) => Object.values(dissent).includes('pending')),
  }
}
