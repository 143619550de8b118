import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** What of a request tells whether a browser carries it for a page of another site. */
export interface Carried {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

/** What such a request is answered. */
export interface BrowserRefusal {
  readonly status: 403 | 421
  readonly error: string
}

/**
 * Keeps pages of other sites away from an address that needs no token, because an operator's browser reaches it where
 * they cannot. A page that makes its own name resolve to this address sends that name as `Host`; one that does not
 * still sends forms.
 *
 * @param names further host names that the address goes by, beside addresses and `localhost`.
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

/** No browser leaves the header out; probes that speak HTTP/1.0 do. */
function isKnownHost(host: string | undefined, known: ReadonlySet<string>): boolean {
  if (host === undefined) return true
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{0,5})?$/.exec(host) ?? []
  return ipv6 === undefined ? isIPv4(name) || known.has(plainName(name)) : isIPv6(ipv6)
}

/** In lower case, without the dot at the end that stands for the root. */
function plainName(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Browsers say in `sec-fetch-site` where a request comes from, older ones in `origin` alone; what sends neither is no
 * browser (Go's http.CrossOriginProtection).
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
