import { SpliceError } from '../errors/splice.ts'
import type { Headers } from './envelope.ts'

/** An error as it goes out. */
export interface Problem {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/**
 * The only place that makes an error body: Splice's `{"error": text}` with the status of its row. What is no row is a
 * fault of this daemon: 500, without a word of its cause.
 */
export function problemOf(error: unknown, headers: Headers): Problem {
  const known = error instanceof SpliceError ? error : new SpliceError('unexpected', {}, { cause: error })
  const body = JSON.stringify({ error: known.message })
  const all: Headers = {
    ...headers,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  }
  if (known.allow !== undefined) all['allow'] = known.allow
  if (known.retryAfter !== undefined) all['retry-after'] = String(known.retryAfter)
  if (known.realm !== undefined) all['www-authenticate'] = `Bearer realm="${known.realm}"`
  return { status: known.status, headers: all, body }
}

export function problem(error: unknown, given: Headers): Response {
  const { status, headers, body } = problemOf(error, given)
  return new Response(body, { status, headers })
}
