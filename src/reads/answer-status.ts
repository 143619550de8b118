/**
 * The only status of a response that can be a value. With another status, the same body would mean something
 * else (quorum.md#values-and-refusals-are-votes).
 */
export const valueStatus = 200

/** The statuses of responses that can be refusals, on which a quorum can agree. */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])
