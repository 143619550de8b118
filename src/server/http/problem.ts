import { STATUS_CODES } from 'node:http'
import { CantonError, PlainError, UnknownLedgerPath } from '../../base/errors/canton.ts'
import { SpliceError } from '../../base/errors/splice.ts'
import type { Headers } from './respond.ts'

export interface Problem {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

const json = 'application/json'

/**
 * Makes the response to an error. Errors of the JSON Ledger API have Canton's formats, others
 * Splice's. An unknown error becomes `unexpected` (500), which does not reveal the cause.
 * @param headers are added to the response; `traceparent` gives the trace id in a Canton body.
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

/** Returns the whole response, for a connection that asked for an upgrade. */
export function rawProblem({ status, headers, body }: Problem): string {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

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
