/** BSD's sysexits where they fit. */
export const exitCodes = { ok: 0, failed: 1, usage: 64, badConfig: 78 } as const
