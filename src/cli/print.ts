/** The output of a subcommand: result lines for the caller, and lines about problems. */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Shows the current activity; undefined clears it. Absent if nobody watches the terminal. */
  readonly progress?: (doing: string | undefined) => void
  /** The terminal that standard output is. Absent if standard output is none. */
  readonly terminal?: Terminal
  /** Resolves when standard output has taken all lines so far, or its reader has left. */
  readonly written?: () => Promise<void>
  /** Aborts when the reader of standard output has left. */
  readonly unread?: AbortSignal
}

export interface Terminal {
  /** Undefined if the size is not known. */
  readonly columns: number | undefined
  readonly rows: number | undefined
  /** Replaces what the terminal shows by these lines. */
  readonly redraw: (lines: readonly string[]) => void
}

/** Exit codes, from BSD's sysexits where they fit. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 64,
  /** Scans cannot make sense of the question. */
  badQuestion: 65,
  /** A quorum agrees that there is no such thing. */
  absent: 66,
  /** Too few super validators can be asked, or no daemon answers. */
  unavailable: 69,
  /** The super validators that answered do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const

/** Rejects arguments that the parser cannot judge: prints the problem, and returns the exit code. */
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
