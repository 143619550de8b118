import { CantonError, PlainError, UnknownLedgerPath } from '../errors/canton.ts'
import { SpliceError } from '../errors/splice.ts'
import type { Headers } from './headers.ts'

/** An error response that is ready to be sent. */
export interface Problem {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const json = 'application/json'

/**
 * Makes the response to an error. The tables in `errors/` determine its status and text. The body depends on
 * the class of the error:
 * - `SpliceError`: the body is `{"error": text}`, and the header `x-bft-error` has the error's code.
 * - `CantonError` and `UnknownLedgerPath`, on the paths of the JSON Ledger API: the body has Canton's JSON
 *   format.
 * - `PlainError`, on the paths of the JSON Ledger API: the body is plain text.
 * - Any other error is a fault of this daemon: the caller gets the `SpliceError` `unexpected` (500), which
 *   does not reveal the cause.
 * @param headers the headers to add. The body of a `CantonError` repeats the trace id of the header
 * `traceparent`.
 */
export function problemOf(error: unknown, headers: Headers): Problem {
  if (error instanceof CantonError)
    return made(error.status, json, JSON.stringify(error.body(traceIdOf(headers))), headers)
  if (error instanceof PlainError)
    return made(error.status, 'text/plain; charset=UTF-8', error.message, headers)
  if (error instanceof UnknownLedgerPath) return made(404, json, JSON.stringify(error.body), headers)
  const known = error instanceof SpliceError ? error : new SpliceError('unexpected', {}, { cause: error })
  const problem = made(known.status, json, JSON.stringify({ error: known.message }), headers)
  problem.headers['x-bft-error'] = known.code
  if (known.allow !== undefined) problem.headers['allow'] = known.allow
  if (known.retryAfter !== undefined) problem.headers['retry-after'] = String(known.retryAfter)
  if (known.realm !== undefined) problem.headers['www-authenticate'] = `Bearer realm="${known.realm}"`
  return problem
}

export function problem(error: unknown, given: Headers): Response {
  const { status, headers, body } = problemOf(error, given)
  return new Response(body, { status, headers })
}

/**
 * Returns the trace id in the header `traceparent`, which is 32 hex digits. Returns 32 zeros if the header is
 * absent.
 */
export function traceIdOf({ traceparent = '' }: Readonly<Record<string, string>>): string {
  return traceparent.split('-')[1] ?? '0'.repeat(32)
}

function made(status: number, contentType: string, body: string, headers: Headers): Problem {
  const own: Headers = {
    ...headers,
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  }
  return { status, headers: own, body }
}
