/**
 * The largest clock error that the mirror tolerates, in milliseconds. A super validator whose clock is fast
 * may say that a name is absent this long before its entry expires. That does not count as a contradiction of
 * the mirror.
 */
export const clockErrorMs = 60_000
