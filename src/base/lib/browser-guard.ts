import type { IncomingHttpHeaders } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

export interface Carried {
  readonly method?: string | undefined
  readonly headers: IncomingHttpHeaders
}

export interface BrowserRefusal {
  readonly status: 403 | 421
  readonly error: string
}

/**
 * Makes a check of requests to an address that requires no tokens. A page of another site can make
 * an operator's browser send requests to this address:
 * - If the page's host name resolves to this address (DNS rebinding), the header `Host` contains
 *   the page's name. The check refuses such a request.
 * - Any other page can send GETs and forms. GETs pass, because they have no effects. A form names
 *   the other site as its origin, and is refused.
 * @param names host names of the address, in addition to IP addresses and `localhost`
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

/** A request without `Host` passes, because browsers always send it and HTTP/1.0 probes do not. */
function isKnownHost(host: string | undefined, known: ReadonlySet<string>): boolean {
  if (host === undefined) return true
  const [, ipv6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d{0,5})?$/.exec(host) ?? []
  return ipv6 === undefined ? isIPv4(name) || known.has(plainName(name)) : isIPv6(ipv6)
}

function plainName(name: string): string {
  const lower = name.toLowerCase()
  return lower.endsWith('.') ? lower.slice(0, -1) : lower
}

const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Current browsers send `sec-fetch-site`, and older ones only `origin`. A request with neither is
 * not from a browser. Go's http.CrossOriginProtection has the same rules.
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
