/** Where a subcommand writes: lines for the caller, and lines about what went wrong. */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** What is being done, for who watches; undefined when it is done. Not there where nobody does. */
  readonly progress?: (doing: string | undefined) => void
}

/** Exit codes: BSD's sysexits where they fit. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 64,
  /** What is asked makes no sense. */
  badQuestion: 65,
  /** A quorum agrees that there is no such thing. */
  absent: 66,
  /** Too few super validators can be asked. */
  unavailable: 69,
  /** Those that were asked do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const
