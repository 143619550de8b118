/** The exit codes of all commands. They follow BSD's `sysexits.h` wherever a code of it fits. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 64,
  /** The question is invalid: this program rejects it, or the scans do. */
  badQuestion: 65,
  /** A quorum agrees that the requested thing does not exist. */
  absent: 66,
  /**
   * Not enough super validators answer or can be asked. If a daemon was asked: it does not answer, or it
   * cannot do what was asked.
   */
  unavailable: 69,
  /** The super validators that answered do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const
