import { type Piece, printed, sideBySide } from '../lib/difference.ts'

/** At most this many lines of a statement are printed. JSON output has whole statements. */
const mostLines = 40

/**
 * Yields lines that show how a statement differs from the agreed one. `- ` marks lines of the agreed statement, `+ `
 * lines of this one.
 * @param agreed the agreed statement. Undefined if no whole statement is agreed; the lines of this statement are then
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
  return sideBySide(printed(agreed), printed(body)).flatMap(({ left, right }) => {
    const differs = [...(left ?? []), ...(right ?? [])].some((piece) => piece.differs)
    return differs ? [...sideOf('-', left), ...sideOf('+', right)] : []
  })
}

function sideOf(sign: string, pieces: readonly Piece[] | undefined): readonly string[] {
  return pieces === undefined ? [] : [`${sign} ${pieces.map(({ text }) => text).join('')}`]
}
