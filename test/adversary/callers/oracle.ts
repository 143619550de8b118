import type { Visit } from './calls.ts'
import type { Answer, Heard } from './exchange.ts'
import type { Cost } from './victim.ts'

export interface Bounds {
  readonly blockedMs: number
  readonly rss: number
}

export function wrongWith(visit: Visit, { answers, end }: Heard): string | undefined {
  if (end === 'left') return 'no answer came'
  for (const answer of answers) {
    const wrong = wrongAnswer(visit, answer)
    if (wrong !== undefined)
      return `${wrong}: ${answer.status} ${JSON.stringify(answer.headers)} ${answer.body.slice(0, 300)}`
  }
  return undefined
}

export function tooCostly({ blockedMs, rss }: Cost, bounds: Bounds): string | undefined {
  if (blockedMs > bounds.blockedMs) return `the event loop was held for ${blockedMs.toFixed(1)} ms`
  if (rss > bounds.rss) return `the process had ${(rss / 2 ** 20).toFixed(0)} MiB`
  return undefined
}

function wrongAnswer(visit: Visit, { status, headers, body }: Answer): string | undefined {
  if (Number.isNaN(status)) return 'no answer of HTTP'
  if (status === 500) return 'a fault of the daemon'
  if (status === 101) return isLetIn(visit) ? undefined : 'a WebSocket without a token'
  if (status < 400 || body === '')
    return status >= 400 && !mayBeEmpty(visit) ? 'an error without a body' : undefined
  const [type] = (headers['content-type'] ?? '').split(';')
  if (type === 'application/json') return isErrorBody(body) ? undefined : 'an error in no known form'
  const paths = visit.kind === 'requests' ? visit.calls.map(({ path }) => path) : ['/v2/']
  if (type === 'text/plain')
    return paths.some((path) => path.includes('/v2/')) ? undefined : 'an error in plain text'
  if (type === 'text/html')
    return paths.some(isOfThePage) || (status === 404 && mayAcceptPages(visit))
      ? undefined
      : 'an error as a page'
  return 'an error of no known type'
}

/** Whether a path belongs to the page for people, once `.` and `..` are resolved as the daemon does. */
function isOfThePage(path: string): boolean {
  const url = URL.parse(path, 'http://localhost')
  return url !== null && /^\/(?:$|ui\/)/.test(url.pathname)
}

/** A browser that opens an unknown path gets a page with a way back. */
function mayAcceptPages(visit: Visit): boolean {
  return (
    visit.kind === 'requests' &&
    visit.calls.some(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'accept'))
  )
}

function isLetIn(visit: Visit): boolean {
  return visit.kind === 'socket' && (visit.token === 'alice' || visit.token === 'anyone')
}

function mayBeEmpty(visit: Visit): boolean {
  return (
    visit.kind === 'requests' &&
    visit.calls.some(({ method, path }) => method === 'HEAD' || /(?:live|ready)z/.test(path))
  )
}

const forms = [
  ['error'],
  ['errors', 'status', 'ledgerApiError'],
  [
    'code',
    'cause',
    'correlationId',
    'traceId',
    'context',
    'resources',
    'errorCategory',
    'grpcCodeValue',
    'retryInfo',
    'definiteAnswer',
  ],
]

function isErrorBody(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return false
    const keys = Object.keys(value).join()
    return forms.some((form) => form.join() === keys)
  } catch {
    return false
  }
}
