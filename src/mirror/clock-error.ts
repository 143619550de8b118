/**
 * The largest clock error that the mirror tolerates, in milliseconds. A super validator with a fast clock may
 * treat an entry as expired this long before its expiry. That does not count as a contradiction of the
 * mirror.
 */
export const clockErrorMs = 60_000
