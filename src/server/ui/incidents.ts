import { milliseconds } from '../../base/lib/clock.ts'
import { type Case, type Filing, hasEnded } from '../../core/scan/evidence-log.ts'

/**
 * The part of a recorded disagreement (`Case`) that tells who contradicted whom. The statements lack
 * their bodies, because `/evidence` serves only the digests of bodies.
 */
export type Contradiction = Pick<
  Case,
  'at' | 'agreed' | 'partVotes' | 'outcome' | 'dissent' | 'sharedVotes'
> & {
  readonly statements: readonly { readonly digest: string; readonly who: readonly string[] }[]
}

/**
 * A series of contradictions, each less than an hour after the previous contradiction. All times are
 * in milliseconds since 1970 UTC.
 */
export interface ContradictionSeries {
  readonly who: readonly string[]
  readonly since: number
  readonly last: number
  /**
   * The super validators that the latest contradiction blames, and the times of all contradictions
   * in the series that blame one of them, newest first.
   */
  readonly present: { readonly who: readonly string[]; readonly times: readonly number[] }
  readonly latestHasEnded: boolean
  readonly isPending: boolean
}

const hourMs = milliseconds('1h')

/**
 * Returns the number of votes that these super validators have together. Super validators that the
 * daemon asks at the same origin share one vote.
 */
export function votesOf(who: readonly string[], { sharedVotes = [] }: Pick<Case, 'sharedVotes'>): number {
  const voters = who.map((name) => sharedVotes.find((names) => names.includes(name))?.[0] ?? name)
  return new Set(voters).size
}

function votesAgainst(kept: Pick<Case, 'dissent' | 'sharedVotes'>): number {
  return votesOf(Object.keys(kept.dissent), kept)
}

export function isBeyondF(kept: Pick<Case, 'dissent' | 'outcome' | 'sharedVotes'>, f: number): boolean {
  return kept.outcome === 'agreed' && votesAgainst(kept) > f
}

/**
 * Whether nothing was agreed, and more than f votes differed from the largest group of equal votes.
 * If at most f differed, votes were missing, and liars are not the reason.
 */
function isSplitBeyondF(kept: Contradiction, f: number): boolean {
  const sizes = kept.statements.map(({ who }) => votesOf(who, kept))
  const others = sizes.reduce((sum, size) => sum + size, 0) - Math.max(0, ...sizes)
  return kept.outcome !== 'agreed' && others > f
}

/**
 * Returns the times of all incidents, in milliseconds since 1970 UTC. An incident is a vote in
 * which more than f votes contradicted the agreed answer.
 */
export function incidentsIn(cases: readonly Contradiction[], f: number): readonly number[] {
  return cases.filter((kept) => isBeyondF(kept, f)).map(({ at }) => Date.parse(at))
}

/**
 * Returns the outcome of a dissent as the daemon shows it. Within an hour of an incident (more than
 * f votes against an agreed answer), `lag` and `ahead` are shown as `unchecked`: the liars of the
 * incident may also have made the recheck agree with the dissenter.
 * @param at the time of the vote, in ISO 8601.
 */
export function filingForDisplay(filing: Filing, at: string, incidents: readonly number[]): Filing {
  return hasEnded(filing) && isNear(incidents, Date.parse(at)) ? 'unchecked' : filing
}

function isNear(incidents: readonly number[], time: number): boolean {
  return incidents.some((incident) => Math.abs(incident - time) < hourMs)
}

/**
 * Whether the agreed answer may itself be a lie. This is so if the answer got fewer than 2f+1 votes,
 * and if an incident (more than f votes against an agreed answer) is less than an hour away.
 */
export function mayBeLie(incidents: readonly number[], kept: Contradiction, f: number): boolean {
  const { at, agreed, partVotes, statements } = kept
  const votes = partVotes ?? votesOf(statements.find(({ digest }) => digest === agreed)?.who ?? [], kept)
  return votes < 2 * f + 1 && isNear(incidents, Date.parse(at))
}

export function isDoubtful(kept: Contradiction, f: number, incidents: readonly number[]): boolean {
  const dissenters = votesAgainst(kept)
  return kept.outcome !== 'agreed' || dissenters === 0 || dissenters > f || mayBeLie(incidents, kept, f)
}

/**
 * Returns the time of the latest vote in which more than f votes contradicted the agreed answer, in
 * milliseconds since 1970. The result is undefined if the last hour had none.
 */
export function lastBeyondF(cases: readonly Contradiction[], f: number, now: number): number | undefined {
  const latest = Math.max(...incidentsIn(cases, f))
  return now - latest < hourMs ? latest : undefined
}

/**
 * Returns the latest series of contradictions that do not show who is right, because more than f
 * votes differed. The result is undefined if the last hour had no such contradiction.
 * @param cases newest first.
 */
export function doubtSeries(
  cases: readonly Contradiction[],
  f: number,
  now: number,
): ContradictionSeries | undefined {
  return seriesOf(
    cases.filter((kept) => isBeyondF(kept, f) || isSplitBeyondF(kept, f)),
    now,
  )
}

/**
 * Returns the latest series of contradictions in which the dissenters were outvoted, and at least
 * one of them may be to blame. The result is undefined if the last hour had no such contradiction.
 * @param cases newest first.
 */
export function dissentSeries(
  cases: readonly Contradiction[],
  f: number,
  now: number,
): ContradictionSeries | undefined {
  const incidents = incidentsIn(cases, f)
  return seriesOf(
    cases.filter((kept) => !isDoubtful(kept, f, incidents) && blamed(kept).length > 0),
    now,
  )
}

function blamed({ dissent }: Contradiction): readonly string[] {
  return Object.entries(dissent).flatMap(([name, filing]) =>
    filing === 'pending' || filing === 'dissent' ? [name] : [],
  )
}

/** Whether all who contradicted the agreed answer gave the same as the others when asked again. */
function isOver({ dissent }: Pick<Case, 'dissent'>): boolean {
  const filed = Object.values(dissent)
  return filed.length > 0 && filed.every(hasEnded)
}

function seriesOf(cases: readonly Contradiction[], now: number): ContradictionSeries | undefined {
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
  const present = blamed(latest)
  const theirs = own.filter((kept) => blamed(kept).some((name) => present.includes(name)))
  return {
    who: [...new Set(own.flatMap(blamed))],
    since: before,
    last: Date.parse(latest.at),
    present: { who: present, times: theirs.map(({ at }) => Date.parse(at)) },
    latestHasEnded: isOver(latest),
    isPending: own.some(({ dissent }) => Object.values(dissent).includes('pending')),
  }
}
