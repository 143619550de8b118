import { type DifferenceRow, printed, sideBySide } from '../../base/lib/difference.ts'
import type { Case } from '../../core/scan/evidence-log.ts'
import { filings } from './stories.ts'

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
