import { type DifferenceRow, type Piece, printed, sideBySide } from '../lib/difference.ts'

/** The maximum number of lines that are printed of a statement. JSON output has whole statements. */
const mostLines = 40

/**
 * Yields lines that show how a statement differs from the agreed one. `- ` marks lines of the agreed
 * statement, `+ ` lines of the differing one.
 * @param agreed the agreed statement. If undefined, no whole statement is agreed, and the lines of `body` are
 * yielded instead of a difference.
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
  yield* lines.slice(0, mostLines)
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
 * Formats consecutive lines that differ. If each line has a counterpart in the other statement, yields the
 * lines in pairs. Otherwise yields all lines of the agreed statement, and then all lines of the differing
 * one, because pairs with gaps would be hard to read.
 */
function linesOf(run: readonly DifferenceRow[]): readonly string[] {
  if (run.every(({ left, right }) => left !== undefined && right !== undefined))
    return run.flatMap(({ left, right }) => [...sideOf('-', left), ...sideOf('+', right)])
  return [...run.flatMap(({ left }) => sideOf('-', left)), ...run.flatMap(({ right }) => sideOf('+', right))]
}

function sideOf(sign: string, pieces: readonly Piece[] | undefined): readonly string[] {
  return pieces === undefined ? [] : [`${sign} ${pieces.map(({ text }) => text).join('')}`]
}
