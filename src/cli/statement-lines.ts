import { type DifferenceRow, type Piece, printed, sideBySide } from '../base/lib/difference.ts'
import { bounded } from './text-width.ts'

/** Longer statements are cut after this many lines. JSON output has whole statements. */
const mostLines = 40

/**
 * Shows how a statement differs from the agreed one: `- ` marks lines of the agreed statement, `+ `
 * lines of the other one. Without an agreed statement, shows all lines of `body`.
 */
export function* statementLines(
  who: readonly string[],
  body: string,
  agreed: string | undefined,
): Iterable<string> {
  yield `${who.join(', ')} said${agreed === undefined ? '' : ' instead'}:`
  const lines =
    agreed === undefined
      ? printed(body)
          .split('\n')
          .map((line) => `  ${line}`)
      : changes(agreed, body)
  yield* lines.slice(0, mostLines).map(bounded)
  if (lines.length > mostLines) yield `  ... and ${lines.length - mostLines} more lines`
}

function changes(agreed: string, body: string): readonly string[] {
  const runs: DifferenceRow[][] = [[]]
  for (const line of sideBySide(printed(agreed), printed(body))) {
    const differs = [...(line.left ?? []), ...(line.right ?? [])].some((piece) => piece.differs)
    if (differs) runs.at(-1)?.push(line)
    else runs.push([])
  }
  return runs.flatMap(linesOf)
}

/**
 * If each line has a counterpart, the lines come in pairs. Otherwise all `-` lines come first,
 * because pairs with gaps would be hard to read.
 */
function linesOf(run: readonly DifferenceRow[]): readonly string[] {
  if (run.every(({ left, right }) => left !== undefined && right !== undefined))
    return run.flatMap(({ left, right }) => [...sideOf('-', left), ...sideOf('+', right)])
  return [...run.flatMap(({ left }) => sideOf('-', left)), ...run.flatMap(({ right }) => sideOf('+', right))]
}

function sideOf(sign: string, pieces: readonly Piece[] | undefined): readonly string[] {
  return pieces === undefined ? [] : [`${sign} ${pieces.map(({ text }) => text).join('')}`]
}
