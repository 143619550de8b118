/**
 * The largest clock error that the mirror tolerates. A super validator with a fast clock may treat
 * an entry as expired this early, without contradicting the mirror.
 */
export const clockErrorMs = 60_000
