import { plainJson } from '../base/lib/plain-text.ts'
import { exitCodes } from './exit-codes.ts'

/**
 * The output of a command: `out` prints lines of the result, and `err` prints lines about problems.
 */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /**
   * Shows on the terminal what the command is doing; undefined clears the message. Absent if
   * standard error is no terminal.
   */
  readonly progress?: (doing: string | undefined) => void
  readonly terminal?: Terminal
  /**
   * Resolves when all lines so far are written, or cannot be written.
   */
  readonly written?: () => Promise<void>
  /** Aborts when standard output cannot be written, because its reader has ended or a disk is full. */
  readonly unread?: AbortSignal
}

export interface Terminal {
  readonly columns: number | undefined
  readonly rows: number | undefined
  readonly redraw: (lines: readonly string[]) => void
}

/** Prints a text of this program that has several lines. */
export function printLines(print: Print['out'], text: string): void {
  for (const line of text.split('\n')) print(line)
}

/** Prints JSON of which no character but the line ends is invisible. Without `indent`, it is one line. */
export function printJson({ out }: Pick<Print, 'out'>, value: unknown, indent?: number): void {
  printLines(out, plainJson(JSON.stringify(value, undefined, indent)))
}

/** Reports arguments that the parser accepted but the command cannot use. Returns the exit code. */
export function misused(print: Print, text: string): number {
  print.err(`error: ${text}`)
  return exitCodes.usage
}

export function tellConfig(
  print: Print,
  {
    warnings,
    problems = [],
  }: { readonly warnings: readonly string[]; readonly problems?: readonly string[] },
): void {
  for (const warning of warnings) print.err(`warning: ${warning}`)
  for (const problem of problems) print.err(problem)
}
