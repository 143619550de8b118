import { html } from 'hono/html'
import { type DifferenceRow, type Piece, printed, sideBySide } from '../../../base/lib/difference.ts'
import type { Case, CaseStatement } from '../../../core/scan/evidence-log.ts'
import { count, type Html, namesView, shortened, visible } from './text.ts'

const context = 2
const mostRows = 80
const mostStatements = 3
const longestAlike = 160
const longestDifferent = 2_000

/**
 * Compares one statement with each of the others: the agreed one or, if none was agreed, the most
 * frequent.
 * @param isDoubtful whether nobody can tell who is right. The statements are then shown in neutral
 * colours as sides A, B and so on, and side A is compared with the others.
 */
export function comparison({ agreed, statements, dissent }: Case, isDoubtful: boolean): Html {
  const [first, ...others] = isDoubtful ? sidesOf(statements) : leadingFirst(statements, agreed, dissent)
  if (first === undefined) return html``
  const given = ({ digest }: CaseStatement) => (digest === agreed ? ', whose answer was given' : '')
  const headsOf = (other: CaseStatement, place: number): readonly [string, string] =>
    isDoubtful
      ? [
          `${sideLetter(0)}: one side${given(first)}`,
          `${sideLetter(place + 1)}: ${others.length === 1 ? 'the other' : 'another'} side${given(other)}`,
        ]
      : [agreed === null ? 'What most said' : 'What was agreed', 'What was said instead']
  return html`
    ${others.slice(0, mostStatements).map((other, place) => pairView([first, other], headsOf(other, place), isDoubtful))}
    ${others.length > mostStatements && html`<p class="empty">${count(others.length - mostStatements, 'more statement')} in /evidence of the operations address.</p>`}
  `
}

function leadingFirst(
  statements: readonly CaseStatement[],
  agreed: string | null,
  dissent: Case['dissent'],
): readonly CaseStatement[] {
  const weight = ({ digest, who }: CaseStatement) =>
    digest === agreed ? Number.POSITIVE_INFINITY : who.filter((name) => !(name in dissent)).length
  return statements.toSorted((a, b) => weight(b) - weight(a))
}

/**
 * Statements are sorted by digest, so that each keeps its letter (A, B, ...) if the same question
 * gets the same statements again.
 */
export function sidesOf(statements: readonly CaseStatement[]): readonly CaseStatement[] {
  return statements.toSorted((a, b) => (a.digest < b.digest ? -1 : 1))
}

const letters = 'ABCDEFGH'

export function sideLetter(side: number): string {
  return letters.charAt(Math.min(side, letters.length - 1))
}

function pairView(
  [first, other]: readonly [CaseStatement, CaseStatement],
  [head, otherHead]: readonly [string, string],
  isDoubtful: boolean,
): Html {
  const rows = sideBySide(printed(first.body), printed(other.body))
  return html`
    <table class="difference${isDoubtful ? ' sides' : ''}">
      <thead>
        <tr>
          <th scope="col"><span class="side">${head}</span> ${namesView(first.who)}</th>
          <th scope="col"><span class="side">${otherHead}</span> ${namesView(other.who)}</th>
        </tr>
      </thead>
      <tbody>
        ${folded(rows).slice(0, mostRows).map(lineView)}
      </tbody>
    </table>
  `
}

type ComparedRow = DifferenceRow | { readonly alike: number }

function folded(rows: readonly DifferenceRow[]): readonly ComparedRow[] {
  const lines: (DifferenceRow | { alike: number })[] = []
  for (const [index, row] of rows.entries()) {
    const last = lines.at(-1)
    if (rows.slice(Math.max(0, index - context), index + context + 1).some(hasDifference)) lines.push(row)
    else if (last !== undefined && 'alike' in last) last.alike++
    else lines.push({ alike: 1 })
  }
  return lines
}

function hasDifference({ left, right }: DifferenceRow): boolean {
  return left === undefined || right === undefined || [...left, ...right].some(({ differs }) => differs)
}

function lineView(line: ComparedRow): Html {
  if ('alike' in line)
    return html`<tr class="alike"><td colspan="2">${count(line.alike, 'line')} alike</td></tr>`
  return html`<tr>${[line.left, line.right].map(sideView)}</tr>`
}

function sideView(pieces: readonly Piece[] | undefined): Html {
  if (pieces === undefined) return html`<td class="nothing"></td>`
  return html`<td>${pieces.map(({ text, differs }) =>
    differs
      ? html`<mark>${visible(shortened(text, longestDifferent))}</mark>`
      : visible(shortened(text, longestAlike)),
  )}</td>`
}
