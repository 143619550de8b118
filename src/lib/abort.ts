/** What tells that nobody waits any more. */
export type AbortNotice = AbortSignal
