/** Where a subcommand writes: lines for the caller, and lines about what went wrong. */
export interface Print {
  readonly out: (line: string) => void
  readonly err: (line: string) => void
}

/** Exit codes: BSD's sysexits where they fit. */
export const exitCodes = { ok: 0, failed: 1, usage: 64, badConfig: 78 } as const
