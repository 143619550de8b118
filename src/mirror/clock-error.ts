/**
 * The largest clock error that the mirror tolerates. Super validators with fast clocks may report
 * an entry as absent this long before it expires. That is no contradiction.
 */
export const clockErrorMs = 60_000
