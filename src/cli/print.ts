/** The output of a subcommand: result lines for the caller, and lines about problems. */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Shows the current activity; undefined clears it. Absent if nobody watches the terminal. */
  readonly progress?: (doing: string | undefined) => void
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
  /** Too few super validators can be asked. */
  unavailable: 69,
  /** The super validators that answered do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const
