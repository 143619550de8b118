/** Only a response with this status can be a value (quorum.md#values-and-refusals-are-votes). */
export const valueStatus = 200

export const refusalStatuses: ReadonlySet<number> = new Set([400, 404, 409, 410, 422])

/** The 503 of a scan that has not loaded the history (HttpScanHandler.scala of Splice 0.7.5). */
const notReplicated = /^This scan instance has not yet replicated all data/

/**
 * A release before 0.9 takes the last segment of `/v0/events/latest-record-time` for the id of an
 * event.
 */
const noSuchPath = /^(?:The requested resource could not be found|\w+ with id latest-record-time )/

const known: readonly RegExp[] = [
  /^No DsoRules contract found/,
  /^(?:Undetermined|CannotProvide)$/,
  noSuchPath,
  notReplicated,
]

/**
 * Whether this reason of an abstention is normal: the scan has just started, or lacks the path or
 * the history. Any other reason may mean absence, so an operator should read it
 * (quorum.md#abstentions-lower-nothing).
 */
export function isKnownAbstention(reason: string): boolean {
  return known.some((pattern) => pattern.test(reason))
}

export function lacksHistory(reason: string): boolean {
  return notReplicated.test(reason)
}

export function lacksPath(reason: string): boolean {
  return noSuchPath.test(reason)
}
