/** The exit codes of all commands. They follow BSD's `sysexits.h` wherever one of its codes fits. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 64,
  /** The question is invalid: this program rejects it, or the scans do. */
  badQuestion: 65,
  /** A quorum agrees that the requested thing does not exist. */
  absent: 66,
  /**
   * Not enough super validators answer or can be asked. For a command that asks a daemon: the daemon does not
   * answer, or cannot do what the command asks.
   */
  unavailable: 69,
  /** The super validators that answered do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const
