/** Only a response with this status can be a value (quorum.md#values-and-refusals-are-votes). */
export const valueStatus = 200

export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])
