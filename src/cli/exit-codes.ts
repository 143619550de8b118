/** The exit codes of all commands. They are those of BSD's sysexits where these fit. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 64,
  /** The question is invalid: this program or the scans reject it. */
  badQuestion: 65,
  /** A quorum agrees that the requested thing does not exist. */
  absent: 66,
  /** Too few super validators can be asked, or no daemon answers, or the daemon that answers cannot do its work. */
  unavailable: 69,
  /** The super validators that answered do not agree. */
  disagreement: 76,
  badConfig: 78,
} as const
