import type { Print, Terminal } from '../../src/cli/print.ts'

/** A `Print` that records what a command prints. */
export interface Printed {
  readonly print: Print
  readonly out: string[]
  readonly err: string[]
  /** The successive contents of the part of the terminal that is redrawn. */
  readonly frames: (readonly string[])[]
}

/**
 * Makes a `Print` that records.
 * @param size the size of the terminal that standard output is; undefined if it is no terminal.
 */
export function printed(size?: Pick<Terminal, 'columns' | 'rows'>): Printed {
  const out: string[] = []
  const err: string[] = []
  const frames: (readonly string[])[] = []
  const terminal = size && { ...size, redraw: (lines: readonly string[]) => void frames.push(lines) }
  const print = {
    out: (line: string) => void out.push(line),
    err: (line: string) => void err.push(line),
    ...(terminal && { terminal }),
  }
  return { print, out, err, frames }
}
