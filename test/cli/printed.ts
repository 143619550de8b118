import type { Print, Terminal } from '../../src/cli/print.ts'

export interface Printed {
  readonly print: Print
  readonly out: string[]
  readonly err: string[]
  /** The drawings in the part of the terminal that the command redraws, each as a list of lines. */
  readonly frames: (readonly string[])[]
}

/** `size` is the size of the terminal to which standard output goes. Without `size`, standard output is no terminal. */
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
