/** A state of the ledger: the one after an update. */
export interface Moment {
  readonly offset: number
  /** The row of the last node that there was. */
  readonly lastNode: number
}

/** The state after the last update, whichever it is. */
export const present: Moment = { offset: Number.MAX_SAFE_INTEGER, lastNode: Number.MAX_SAFE_INTEGER }
