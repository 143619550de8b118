import { parseJsonText } from './parse-json-text.ts'

export interface Piece {
  readonly text: string
  readonly differs: boolean
}

export interface DifferenceRow {
  readonly left: readonly Piece[] | undefined
  readonly right: readonly Piece[] | undefined
}

/**
 * The most pairs of a left and a right line that are compared. If there are more, the lines are put
 * side by side in order, without looking for equal lines.
 */
const mostPairs = 100_000

/** Compares two texts line by line. The pieces of one side of a row, joined, are the whole line. */
export function sideBySide(left: string, right: string): readonly DifferenceRow[] {
  const [before, leftMiddle, rightMiddle, after] = alikeAround(left.split('\n'), right.split('\n'))
  return [...before.map(bothSay), ...aligned(leftMiddle, rightMiddle), ...after.map(bothSay)]
}

/** Invalid JSON, such as a truncated text, stays unchanged. */
export function printed(json: string): string {
  try {
    return JSON.stringify(parseJsonText(json), undefined, 2)
  } catch {
    return json
  }
}

function bothSay(line: string): DifferenceRow {
  const said = [{ text: line, differs: false }]
  return { left: said, right: said }
}

function alikeAround<Of>(
  left: readonly Of[],
  right: readonly Of[],
): [readonly Of[], readonly Of[], readonly Of[], readonly Of[]] {
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++
  return [
    left.slice(0, start),
    left.slice(start, left.length - end),
    right.slice(start, right.length - end),
    left.slice(left.length - end),
  ]
}

function aligned(left: readonly string[], right: readonly string[]): readonly DifferenceRow[] {
  const rows: DifferenceRow[] = []
  let leftDone = 0
  let rightDone = 0
  const pairUpTo = (leftEnd: number, rightEnd: number) => {
    rows.push(...paired(left.slice(leftDone, leftEnd), right.slice(rightDone, rightEnd)))
  }
  for (const [leftAt, rightAt] of commonLines(left, right)) {
    pairUpTo(leftAt, rightAt)
    rows.push(bothSay(left[leftAt] as string))
    leftDone = leftAt + 1
    rightDone = rightAt + 1
  }
  pairUpTo(left.length, right.length)
  return rows
}

function commonLines(
  left: readonly string[],
  right: readonly string[],
): readonly (readonly [number, number])[] {
  if (left.length * right.length > mostPairs) return []
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  const at = (row: number, column: number) => lengths[row * width + column] as number
  for (let row = left.length - 1; row >= 0; row--) {
    for (let column = right.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        left[row] === right[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
    }
  }
  const pairs: [number, number][] = []
  let row = 0
  let column = 0
  while (row < left.length && column < right.length) {
    if (left[row] === right[column]) pairs.push([row++, column++])
    else if (at(row + 1, column) >= at(row, column + 1)) row++
    else column++
  }
  return pairs
}

function paired(left: readonly string[], right: readonly string[]): readonly DifferenceRow[] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => {
    const one = left[index]
    const other = right[index]
    if (one === undefined || other === undefined) return { left: alone(one), right: alone(other) }
    const [before, oneMiddle, otherMiddle, after] = alikeAround(wordsOf(one), wordsOf(other))
    const pieces = (middle: readonly string[]): readonly Piece[] => [
      ...piece(before, false),
      ...piece(middle, true),
      ...piece(after, false),
    ]
    return { left: pieces(oneMiddle), right: pieces(otherMiddle) }
  })
}

function alone(line: string | undefined): readonly Piece[] | undefined {
  if (line === undefined) return undefined
  const indent = line.length - line.trimStart().length
  if (indent === 0 || indent === line.length) return [{ text: line, differs: true }]
  return [
    { text: line.slice(0, indent), differs: false },
    { text: line.slice(indent), differs: true },
  ]
}

function wordsOf(line: string): readonly string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}

function piece(words: readonly string[], differs: boolean): readonly Piece[] {
  return words.length === 0 ? [] : [{ text: words.join(''), differs }]
}
