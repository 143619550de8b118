/**
 * The error that a clock may have. So near its expiry, a name may be absent at a super validator whose clock is ahead,
 * which is no contradiction.
 */
export const clockErrorMs = 60_000
