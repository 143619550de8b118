/**
 * The largest clock error that is tolerated, in milliseconds. A super validator whose clock is ahead may say that a
 * name is absent this long before the name expires. That does not count as a contradiction.
 */
export const clockErrorMs = 60_000
