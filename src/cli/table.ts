import { bounded, fitted, widthOf } from './text-width.ts'

const gap = 2
/**
 * Columns are never made narrower than this. If the lines are then still too wide, they are cut.
 */
const leastWidth = 6

/**
 * Aligns rows in columns. If the rows are wider than `width`, the widest columns are shortened, so
 * that no line is longer than the terminal.
 */
export function columns(given: readonly (readonly string[])[], width?: number): readonly string[] {
  // A line end in a cell would look like the start of another row.
  const rows = given.map((row) => row.map((cell) => bounded(cell).replaceAll(/[\r\n\t]+/g, ' ')))
  const widths = widthsOf(rows)
  if (width !== undefined) shrink(widths, width)
  return rows.map((row) => {
    const cells = row.map((cell, at) => padded(fitted(cell, widths[at] ?? 0), widths[at] ?? 0))
    return fitted(cells.join(' '.repeat(gap)).trimEnd(), width)
  })
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))
    })
  return widths
}

function shrink(widths: number[], width: number): void {
  let excess = widths.reduce((sum, each) => sum + each + gap, -gap) - width
  while (excess-- > 0) {
    const widest = Math.max(...widths)
    if (widest <= leastWidth) return
    widths[widths.lastIndexOf(widest)] = widest - 1
  }
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}
