import { exitCodes } from './exit-codes.ts'

/** The output of a subcommand: `out` prints result lines for the caller, `err` prints lines about problems. */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /**
   * Shows on the terminal what the command is doing; undefined clears it. Absent if standard error is no terminal.
   */
  readonly progress?: (doing: string | undefined) => void
  /** The terminal to which standard output goes. Absent if it goes elsewhere. */
  readonly terminal?: Terminal
  /** Resolves when standard output has accepted all lines so far, or the program that reads it has ended. */
  readonly written?: () => Promise<void>
  /** Aborts when the program that reads standard output has ended. */
  readonly unread?: AbortSignal
}

export interface Terminal {
  /** The width and height of the terminal; undefined if not known. */
  readonly columns: number | undefined
  readonly rows: number | undefined
  /** Replaces what the terminal shows by these lines. */
  readonly redraw: (lines: readonly string[]) => void
}

/** Prints a problem of arguments that the parser accepts but the command does not. Returns the exit code. */
export function misused(print: Print, text: string): number {
  print.err(`error: ${text}`)
  return exitCodes.usage
}

/** Prints the warnings and the problems of a configuration. */
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
