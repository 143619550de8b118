import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** The parts of a request which show whether a browser sent it on behalf of a page of another site. */
export interface Carried {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** The answer to a request that the guard rejects. */
export interface BrowserRefusal {
  readonly status: 403 | 421
  readonly error: string
}

/**
 * Returns a function that protects an address without tokens from pages of other sites. It rejects the
 * requests that such a page makes an operator's browser send. If the host name of the page resolves to the
 * address (DNS rebinding), the browser sends that name in the header `Host`. Any other page can still submit
 * forms to the address.
 *
 * @param names the host names of the address, in addition to IP addresses and `localhost`.
 * @returns a function that returns the refusal; undefined if the request may pass.
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
 * Returns false for a request on behalf of a page of another site. Browsers tell this in the header
 * `sec-fetch-site`; older ones send only `origin`. A request with neither header is not from a browser (Go's
 * http.CrossOriginProtection).
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
