/** The address of a scan, parsed from the URL that its super validator published. */
export interface ScanOrigin {
  /**
   * The base URL: the origin and the base path, without a trailing slash and without `/api/scan`. Request
   * paths are appended to it.
   */
  readonly url: string
  /**
   * Scheme, host and port. Super validators that the daemon asks at the same origin have one vote together
   * (quorum.md#one-vote-each).
   */
  readonly origin: string
  /** `host:port`, with the port even if it is the default one. */
  readonly host: string
}

/**
 * Parses the URL that a super validator published. Returns undefined if the daemon cannot use the URL,
 * because it is not an http(s) URL, or has credentials, a query or a fragment. The super validator then is
 * still a voter, but unreachable.
 */
export function placeOf(publicUrl: string): ScanOrigin | undefined {
  if (!URL.canParse(publicUrl)) return undefined
  const url = new URL(publicUrl)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port
  const base = url.pathname.replace(/\/+$/, '').replace(/\/api\/scan$/, '')
  return { url: url.origin + base, origin: url.origin, host: `${url.hostname}:${port}` }
}
