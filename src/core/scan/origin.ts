import { withoutTrailing } from '../../base/lib/without-trailing.ts'

/** Super validators publish URLs. The daemon parses no longer one. */
export const longestUrl = 2_048

export interface ScanOrigin {
  /** The origin and the base path, without a trailing slash and without `/api/scan`. */
  readonly url: string
  /**
   * Scheme, host and port. Super validators that the daemon asks at the same origin have one vote
   * together (quorum.md#one-vote-each).
   */
  readonly origin: string
  readonly host: string
}

/** Returns a clause that says what is wrong with a URL that cannot be that of a scan. */
export function parseBaseUrl(text: string) {
  if (text.length > longestUrl) return `a URL of more than ${longestUrl} characters`
  const url = URL.parse(text)
  if (url === null) return 'not a URL'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'neither https nor http'
  if (url.username !== '' || url.password !== '') return 'a URL with a user name'
  if (url.search !== '' || url.hash !== '') return 'a URL with a query or a fragment'
  // A dot at the end names the same host (RFC 1034, 3.1), so it makes no other voter or operator.
  url.hostname = withoutTrailing('.', url.hostname)
  const secure = url.protocol === 'https:'
  return {
    origin: url.origin,
    prefix: withoutTrailing('/', url.pathname),
    /** A DNS name, or an IP address; an IPv6 address is in brackets. */
    hostname: url.hostname,
    port: url.port === '' ? (secure ? 443 : 80) : Number(url.port),
    secure,
  }
}

/**
 * Parses the URL that a super validator published. If the daemon cannot use the URL, the result is
 * undefined, and the super validator stays a voter that is unreachable.
 */
export function placeOf(publicUrl: string): ScanOrigin | undefined {
  const parsed = parseBaseUrl(publicUrl)
  if (typeof parsed === 'string') return undefined
  const { origin, prefix, hostname, port } = parsed
  return { url: origin + prefix.replace(/\/api\/scan$/, ''), origin, host: `${hostname}:${port}` }
}
