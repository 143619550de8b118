const safe: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a request may change anything: not if a browser sends it for a page of another origin. Browsers say so in
 * `sec-fetch-site`, older ones in `origin` alone; what sends neither is no browser (Go's http.CrossOriginProtection).
 */
export function isSameOrigin({ method, headers }: Pick<Request, 'method' | 'headers'>): boolean {
  if (safe.has(method)) return true
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = headers.get('origin')
  return origin === null || hostOf(origin) === headers.get('host')?.toLowerCase()
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined
}
