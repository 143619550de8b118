import { type ChangeObject, diffArrays } from 'diff'
import { parseJsonText } from './parse-json-text.ts'

export interface Piece {
  readonly text: string
  readonly differs: boolean
}

export interface DifferenceRow {
  readonly left: readonly Piece[] | undefined
  readonly right: readonly Piece[] | undefined
}

/** Texts with more differences than this are put side by side in order, without looking for equal parts. */
const mostEdits = 500

/** Compares two texts line by line. The pieces of one side of a row, joined, are the whole line. */
export function sideBySide(left: string, right: string): readonly DifferenceRow[] {
  const rows: DifferenceRow[] = []
  let removed: readonly string[] = []
  const pairUp = (added: readonly string[]) => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++)
      rows.push(pairOf(removed[at], added[at]))
    removed = []
  }
  for (const change of changesOf(left.split('\n'), right.split('\n'))) {
    if (change.removed) removed = change.value
    else if (change.added) pairUp(change.value)
    else {
      pairUp([])
      for (const text of change.value)
        rows.push({ left: [{ text, differs: false }], right: [{ text, differs: false }] })
    }
  }
  pairUp([])
  return rows
}

/** Invalid JSON, such as a truncated text, stays unchanged. */
export function printed(json: string): string {
  try {
    return JSON.stringify(parseJsonText(json), undefined, 2)
  } catch {
    return json
  }
}

/** A part that was removed comes before the part that replaces it. */
function changesOf(left: string[], right: string[]): readonly ChangeObject<string[]>[] {
  return (
    diffArrays(left, right, { maxEditLength: mostEdits }) ?? [
      { removed: true, added: false, value: left, count: left.length },
      { removed: false, added: true, value: right, count: right.length },
    ]
  )
}

/** Marks one piece of each line: from the first word that differs to the last one. */
function pairOf(left: string | undefined, right: string | undefined): DifferenceRow {
  if (left === undefined || right === undefined) return { left: alone(left), right: alone(right) }
  const [one, other] = [wordsOf(left), wordsOf(right)]
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  const pieces = (words: readonly string[]) =>
    [
      { text: words.slice(0, start).join(''), differs: false },
      { text: words.slice(start, words.length - end).join(''), differs: true },
      { text: words.slice(words.length - end).join(''), differs: false },
    ].filter(({ text }) => text !== '')
  return { left: pieces(one), right: pieces(other) }
}

function alone(line: string | undefined): readonly Piece[] | undefined {
  if (line === undefined) return undefined
  const [indent = ''] = /^\s+(?=\S)/.exec(line) ?? []
  const text = { text: line.slice(indent.length), differs: true }
  return indent === '' ? [text] : [{ text: indent, differs: false }, text]
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []
}
