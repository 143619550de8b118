import { milliseconds } from '../../base/lib/clock.ts'
import { type DifferenceRow, printed, sideBySide } from '../../base/lib/difference.ts'
import { digest } from '../../base/lib/digest.ts'
import type { Count } from '../../base/lib/threshold.ts'
import { type Case, type Filing, hasEnded } from '../../core/scan/evidence-log.ts'
import { incidentsIn, isBeyondF, isDoubtful, mayBeLie } from './incidents.ts'

/** A chapter is all disagreements about one read within a `Story`. */
export interface Chapter {
  readonly id: string
  readonly read: string
  readonly count: number
  readonly latest: Case
  /**
   * This text changes when the daemon has asked again about a disagreement, so that open pages
   * fetch the disagreement again.
   */
  readonly recheckMark: string
}

/**
 * A story is all disagreements of one kind in which the same super validators, `who`, contradicted
 * the others.
 * - `dissenter`: one super validator contradicted answers that the others agreed on. If up to f
 *   contradicted the same answer, each of them has its own story.
 * - `doubtful`: more than f super validators contradicted the answer, so nobody can tell who is
 *   right.
 * - `dissenterInDoubt`: like `dissenter`, but less than an hour from a `doubtful` disagreement. The
 *   agreed answer had fewer than 2f+1 votes, so it may itself be a lie.
 * - `rivals`: several groups of equal votes reached the threshold. `who` is empty.
 * - `disputed`: nothing was agreed. `who` is empty.
 */
export interface Story {
  readonly id: string
  readonly kind: 'dissenter' | 'doubtful' | 'dissenterInDoubt' | 'rivals' | 'disputed'
  readonly who: readonly string[]
  readonly count: number
  /** The times of the first and the latest disagreement, in ISO 8601. */
  readonly from: string
  readonly to: string
  /** Whether there is something to report to the operator of the only dissenter (`reportable`). */
  readonly isReportable: boolean
  readonly chapters: readonly Chapter[]
}

/**
 * Groups disagreements into stories. The story with the latest disagreement comes first.
 * @param cases newest first.
 */
export function storiesOf(cases: readonly Case[], f: number): readonly Story[] {
  const incidents = incidentsIn(cases, f)
  const groups = new Map<string, { kind: Story['kind']; who: readonly string[]; cases: Case[] }>()
  for (const kept of cases.filter(isDisagreement)) {
    for (const { kind, who } of protagonists(kept, f, incidents)) {
      const key = JSON.stringify([kind, who])
      const group = groups.get(key) ?? { kind, who, cases: [] }
      groups.set(key, group)
      group.cases.push(kept)
    }
  }
  return [...groups].map(([key, { kind, who, cases: own }]) => ({
    id: idOf(key),
    kind,
    who,
    count: own.length,
    from: (own.at(-1) as Case).at,
    to: (own[0] as Case).at,
    isReportable: kind === 'dissenter' && own.some((kept) => stands(kept, who[0] ?? '')),
    chapters: [...Map.groupBy(own, ({ read }) => read)].map(([read, about]) => ({
      id: idOf(`${key} ${read}`),
      read,
      count: about.length,
      latest: about[0] as Case,
      recheckMark: recheckMarkOf(about),
    })),
  }))
}

function isDisagreement({ statements, dissent }: Case): boolean {
  return statements.length > 1 || Object.keys(dissent).length > 0
}

function recheckMarkOf(cases: readonly Case[]): string {
  const checked = cases.filter(({ dissent }) => !Object.values(dissent).includes('pending'))
  return checked[0] === undefined ? '0' : `${checked.length}-${caseId(checked[0])}`
}

function protagonists(
  kept: Case,
  f: number,
  incidents: readonly number[],
): readonly Pick<Story, 'kind' | 'who'>[] {
  const { dissent, outcome } = kept
  const names = Object.keys(dissent).sort()
  if (outcome !== 'agreed') return [{ kind: 'disputed', who: [] }]
  if (names.length === 0) return [{ kind: 'rivals', who: [] }]
  if (isBeyondF(kept, f)) return [{ kind: 'doubtful', who: names }]
  const kind = mayBeLie(incidents, kept, f) ? 'dissenterInDoubt' : 'dissenter'
  return names.map((name) => ({ kind, who: [name] }))
}

/**
 * Whether a dissent stands. It does not if the difference was gone when the daemon asked again, or
 * if the dissent was filed as `split`: an honest super validator says the same.
 */
function stands({ dissent }: Case, sv: string): boolean {
  const filing = dissent[sv]
  return filing !== undefined && !hasEnded(filing) && filing !== 'split'
}

/** Returns the disagreements to report to the operator of `sv`. */
export function reportable(cases: readonly Case[], sv: string, f: number): readonly Case[] {
  const incidents = incidentsIn(cases, f)
  return cases.filter(
    (kept) => stands(kept, sv) && protagonists(kept, f, incidents).some(({ kind }) => kind === 'dissenter'),
  )
}

export function caseId({ at, read, params, rule }: Case): string {
  return idOf([at, read, params, rule].join(' '))
}

function idOf(text: string): string {
  return digest(text).slice(0, 12)
}

export function findCase(cases: readonly Case[], id: string): Case | undefined {
  return cases.find((kept) => caseId(kept) === id)
}

/**
 * Returns f, the number of super validators that may be faulty. While the list of super validators
 * is unknown, f is infinite, so that no number of contradicting votes exceeds f.
 */
export function faultBound(superValidators: Pick<Count, 'f'> | undefined): number {
  return superValidators?.f ?? Number.POSITIVE_INFINITY
}

export const filings: Readonly<Record<Filing, string>> = {
  pending: 'asked again within a minute',
  dissent: 'said so again: filed as dissent',
  lag: 'the difference was gone a minute later, which shows no lie: filed as lag',
  ahead: 'a minute later a quorum said what it had said: filed as ahead',
  split: 'says so with enough others that one of them is honest: filed as split',
  unchecked: 'nothing could be learnt by asking again: filed as unchecked',
}

export const notCheckable = 'could not be checked: more than f contradict'

const goneInDoubt = 'nobody can tell who was right; the difference was gone when they were asked again'

export const doubtfulFilings: typeof filings = {
  ...filings,
  lag: goneInDoubt,
  ahead: goneInDoubt,
}

const doubtMs = milliseconds('10m')

/**
 * Whether any answer that was agreed in the last ten minutes is in doubt. It is if more than f
 * super validators contradicted it, or if a different answer reached the threshold too.
 */
export function isInDoubt(cases: readonly Case[], f: number, now: number): boolean {
  return cases.some(
    (kept) => kept.outcome === 'agreed' && isDoubtful(kept, f, []) && now - Date.parse(kept.at) < doubtMs,
  )
}

/**
 * A report quotes at most this many characters of a body or a line; `/evidence` of the daemon has
 * the whole body.
 */
const longestReported = 4_000
/**
 * All comparisons of one report read at most this many characters of each side. A super validator
 * chooses how long its answers are, and a comparison blocks the daemon's main thread.
 */
const mostCompared = 65_536
const mostDifferences = 20
const mostDisagreements = 20

function differences(theirs: string, others: string, sv: string): readonly string[] {
  const differing = (pieces: DifferenceRow['left']) => pieces?.some(({ differs }) => differs) === true
  const line = (pieces: DifferenceRow['left']) =>
    pieces
      ?.map(({ text }) => text)
      .join('')
      .trim()
      .slice(0, longestReported) ?? '(nothing)'
  return sideBySide(printed(theirs), printed(others))
    .filter(({ left, right }) => differing(left) || differing(right))
    .slice(0, mostDifferences)
    .flatMap(({ left, right }) => [`- ${sv} said:   ${line(left)}`, `  others said: ${line(right)}`])
}

export function reportFor(sv: string, cases: readonly Case[], about: { readonly dso: string }): string {
  const quoted = cases.slice(0, mostDisagreements)
  const compared = Math.max(longestReported, Math.floor(mostCompared / quoted.length))
  const parts = quoted.map((kept) => {
    const { at, read, params, dissent, agreed, statements, rule } = kept
    const [theirs, others] = [true, false].map((own) =>
      statements.filter(({ who }) => who.includes(sv) === own),
    )
    const agreedFirst = (others ?? []).toSorted(
      (a, b) => Number(b.digest === agreed) - Number(a.digest === agreed),
    )
    const [theirBody = '', otherBody = ''] = [theirs?.[0]?.body, agreedFirst[0]?.body]
    const asked = kept.question === undefined ? '' : ` ${JSON.stringify(kept.question)}`
    return [
      `## ${at} ${read}`,
      `At ${at} ${sv} was asked ${read}${asked}, and said something else than ${agreedFirst[0]?.who.length ?? 0} others.`,
      ...differences(theirBody.slice(0, compared), otherBody.slice(0, compared), sv),
      `question (SHA-256): ${params}`,
      `state: ${filings[dissent[sv] ?? 'pending']}`,
      `decided because: ${rule}`,
      ...(theirs ?? []).map(
        ({ body, digest: hash }) => `${sv} said (SHA-256 ${hash}):\n${body.slice(0, longestReported)}`,
      ),
      ...agreedFirst.map(
        ({ body, who, digest: hash }) =>
          `${who.join(', ')} said${hash === agreed ? ', as was agreed' : ''} (SHA-256 ${hash}):\n${body.slice(0, longestReported)}`,
      ),
    ].join('\n')
  })
  return `# ${[
    `${sv} contradicted other super validators ${cases.length === 1 ? 'once' : `${cases.length} times`}`,
    `network (DSO): ${about.dso}`,
    ...(cases.length > mostDisagreements
      ? [`The latest ${mostDisagreements} of ${cases.length} follow.`]
      : []),
    ...parts,
  ].join('\n\n')}\n`
}
