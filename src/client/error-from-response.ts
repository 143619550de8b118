import { type SpliceErrorCode, spliceErrors } from '../base/errors/splice.ts'
import { isJsonObject } from '../base/lib/canonical-json.ts'
import { systemClock } from '../base/lib/clock.ts'
import { quorumIn } from './agreement-headers.ts'
import { ClientError } from './client-error.ts'
import { jsonIn } from './json-text.ts'

export interface Received {
  readonly response: Response
  readonly text: string
  readonly base: string
}

/** Returns what a daemon says instead of a value: the text in `{"error": "..."}`. */
export function errorIn({ response, text }: Received): string | undefined {
  const body = response.ok ? undefined : jsonIn(text)
  return isJsonObject(body) && typeof body['error'] === 'string' ? body['error'] : undefined
}

/**
 * Converts an error response to a `ClientError` with the code of the header `x-bft-error`. The code
 * is `misunderstood` if the response is not that of a daemon, if the client does not know the code
 * in the header, or if the client's base URL seems to be wrong (`isBelowPath`).
 */
export function errorOf(received: Received): ClientError {
  const { status, headers } = received.response
  const error = errorIn(received)
  const named = headers.get('x-bft-error')
  const known = error !== undefined && isCode(named) ? named : 'misunderstood'
  const isTooDeep = isBelowPath(received.base, known, error)
  const message = isTooDeep ? tooDeep(received.base) : messageOf(received, error)
  return new ClientError(isTooDeep ? 'misunderstood' : known, message, {
    status,
    retryAfter: secondsIn(headers.get('retry-after')),
    quorum: quorumIn(headers.get('x-bft-quorum')),
    requestId: headers.get('x-request-id') ?? undefined,
  })
}

/**
 * Whether the client's url wrongly contains a path, such as `/api/scan`. Then the daemon reports an
 * unknown path, such as `/api/scan/api/scan/v0`, or a 405. At the right address, no read gets a
 * 405.
 */
function isBelowPath(base: string, code: string, error = ''): boolean {
  const { pathname } = new URL(base)
  if (pathname === '/') return false
  const isRepeated = [`${pathname}/api/`, `${pathname}/registry/`].some((path) => error.includes(path))
  return code === 'methodNotAllowed' || (code === 'unknownPath' && isRepeated)
}

function tooDeep(base: string): string {
  return `no read API at ${base}: the url of a client must be the address of the daemon without the path of an API, such as ${new URL(base).origin}`
}

function messageOf({ response, text, base }: Received, error: string | undefined): string {
  const { status, headers } = response
  const unusual = `the answer, with status ${status}, is not that of a daemon${quoted(text)}`
  const isElsewhere = headers.get('x-bft-error') === null && (status === 404 || status === 405)
  const says = error === undefined ? unusual : printableText(error)
  return isElsewhere ? `no read API at ${base}: ${says}` : says
}

/** Replaces control characters, because a terminal would obey them. */
function printableText(error: string): string {
  const text = error.slice(0, longestError).replace(/\p{C}+/gu, ' ')
  return error.length > longestError ? `${text.toWellFormed()}…` : text
}

const longestError = 4_096

const longest = 120

function quoted(text: string): string {
  const line = text
    .slice(0, 4 * longest)
    .replace(/[\p{C}\p{Z}\s]+/gu, ' ')
    .trim()
  if (line === '') return ''
  const isCut = line.length > longest || text.length > 4 * longest
  return `: ${line.slice(0, longest).toWellFormed()}${isCut ? '…' : ''}`
}

/** Parses `retry-after`, which is a number of seconds or an HTTP date (RFC 9110, 10.2.3). */
function secondsIn(header: string | null): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,15}$/.test(text)) return Number(text)
  if (!/^[a-z]{3,9},? /i.test(text)) return undefined
  const time = Date.parse(/gmt$/i.test(text) ? text : `${text} GMT`)
  return Number.isNaN(time) ? undefined : Math.max(0, Math.ceil((time - systemClock.wall()) / 1000))
}

function isCode(named: string | null): named is SpliceErrorCode {
  return named !== null && Object.hasOwn(spliceErrors, named)
}
