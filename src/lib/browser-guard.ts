import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** The parts of a request that show whether a browser sent the request for a page of another site. */
export interface Carried {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The status and the error text of the response to a request that the guard rejects. */
export interface BrowserRefusal {
  readonly status: 403 | 421
  readonly error: string
}

/**
 * Returns a function that checks the requests to an address that requires no tokens. A page of another site
 * can make an operator's browser send requests to the address. There are two kinds of such pages:
 * - The host name of the page resolves to this address (DNS rebinding). The page can send any request, but
 *   the header `Host` has the page's name. The function rejects all these requests.
 * - Any other page can send GETs and submit forms, but cannot read the responses. The function permits the
 *   GETs, because they have no effects. It rejects the forms: a header of the browser says that they come
 *   from another site.
 *
 * @param names the host names of the address, in addition to IP addresses and `localhost`.
 * @returns a function that returns undefined if the request may pass.
 */
export function browserGuard(names: readonly string[]): (request: Carried) => BrowserRefusal | undefined {
  const known = new Set(['localhost', ...names.map(plainName)])
  return (request) => {
    if (!isKnownHost(request.headers.host, known))
      return { status: 421, error: 'This address has no such host name: see operations.allowedHosts.' }
    if (!isSameOrigin(request)) return { status: 403, error: 'This request comes from another site.' }
    return undefined
  }
}

/**
 * Whether the header `host` contains an IP address or a known name. Without the header the result is true,
 * because browsers always send it and HTTP/1.0 probes do not.
 */
function isKnownHost(host: string | undefined, known: ReadonlySet<string>): boolean {
  if (host === undefined) return true
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{0,5})?$/.exec(host) ?? []
  return ipv6 === undefined ? isIPv4(name) || known.has(plainName(name)) : isIPv6(ipv6)
}

/** Returns a host name in lower case, without the dot at the end of an absolute name. */
function plainName(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * False if a browser sent the request for a page of another site. Current browsers report that in the header
 * `sec-fetch-site`; older browsers send only `origin`. A request that has neither header does not come from a
 * browser. A method without effects is always permitted. Go's http.CrossOriginProtection has the same rules.
 */
function isSameOrigin({ method = '', headers }: Carried): boolean {
  if (safe.has(method)) return true
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const { origin, host } = headers
  return origin === undefined || hostOf(origin) === host?.toLowerCase()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
