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

/** The parts of a base URL. */
export interface BaseUrl {
  readonly origin: string
  /** The path without a trailing slash. Empty if the URL has no path. */
  readonly prefix: string
  /** A DNS name, or an IP address; an IPv6 address is in brackets. */
  readonly hostname: string
  readonly port: number
  readonly secure: boolean
}

/**
 * Parses a base URL: an http(s) URL without credentials, query and fragment. For any other text, returns the
 * reason why it is not a base URL.
 */
export function parseBaseUrl(text: string): BaseUrl | string {
  const url = URL.parse(text)
  if (url === null) return 'not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'neither https nor http'
  if (url.username !== '' || url.password !== '') return 'a URL with a user name'
  if (url.search !== '' || url.hash !== '') return 'a URL with a query or a fragment'
  const secure = url.protocol === 'https:'
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    hostname: url.hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    secure,
  }
}

/**
 * Parses the URL that a super validator published. Returns undefined if the daemon cannot use the URL
 * (`parseBaseUrl`). The super validator then is still a voter, but unreachable.
 */
export function placeOf(publicUrl: string): ScanOrigin | undefined {
  const parsed = parseBaseUrl(publicUrl)
  if (typeof parsed === 'string') return undefined
  const { origin, prefix, hostname, port } = parsed
  return { url: origin + prefix.replace(/\/api\/scan$/, ''), origin, host: `${hostname}:${port}` }
}
