import type { Print, Terminal } from '../../src/cli/print.ts'

/** A `Print` that keeps what a command prints. */
export interface Printed {
  readonly print: Print
  readonly out: string[]
  readonly err: string[]
  /** What the terminal showed, one after the other. */
  readonly frames: (readonly string[])[]
}

/** @param size of the terminal that standard output is; undefined where it is none. */
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
