/**
 * Matches the text of a 503 from a scan that has not loaded the history (HttpScanHandler.scala of Splice
 * 0.7.5).
 */
const notReplicated = /^This scan instance has not yet replicated all data/

const noSuchPath = /^The requested resource could not be found/

const known: readonly RegExp[] = [
  /^No DsoRules contract found/,
  /^(?:Undetermined|CannotProvide)$/,
  noSuchPath,
  notReplicated,
]

/**
 * Whether an abstention with this reason is normal: the scan has just started, or its release or its history
 * lacks the requested data. Any other reason, such as an unknown text of a 404, may mean absence, so an
 * operator should read it (quorum.md#abstentions-lower-nothing).
 */
export function isKnownAbstention(reason: string): boolean {
  return known.some((pattern) => pattern.test(reason))
}

/**
 * Whether the reason of an abstention, or the text of a 503, says that the scan has not loaded the history.
 */
export function lacksHistory(reason: string): boolean {
  return notReplicated.test(reason)
}

/** Whether the reason of an abstention says that the release of the scan does not have the path. */
export function lacksPath(reason: string): boolean {
  return noSuchPath.test(reason)
}
