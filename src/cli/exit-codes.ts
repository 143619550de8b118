/** The exit codes follow BSD's `sysexits.h` wherever one of its codes fits. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  /** `doctor` found that a threshold cannot be met. */
  thresholdUnmet: 2,
  /** A receipt proved something then, but `--current` asks for what is current. */
  notCurrent: 3,
  usage: 64,
  /** The question is invalid: this program rejects it, or the scans do. */
  badQuestion: 65,
  /** A quorum agrees that the requested thing does not exist. */
  absent: 66,
  /**
   * Not enough super validators answer, or the daemon that a command asks does not answer or cannot
   * do what the command asks.
   */
  unavailable: 69,
  /** Standard output cannot be written, for example because a disk is full. */
  output: 74,
  disagreement: 76,
  badConfig: 78,
} as const
