import { type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'
import { systemClock } from '../lib/clock.ts'
import { quorumIn } from './agreement-headers.ts'
import { ClientError } from './client-error.ts'

export interface ErrorResponse {
  readonly response: Response
  readonly text: string
  readonly error: string | undefined
  readonly base: string
}

/**
 * Converts an error response to a `ClientError` with the code of the header `x-bft-error`. The code
 * is `misunderstood` if the response is not that of a daemon, if the client does not know the code
 * in the header, or if the client's base URL seems to be wrong (`isBelowPath`).
 */
export function errorOf(received: ErrorResponse): ClientError {
  const { response, error } = received
  const { status, headers } = response
  const named = headers.get('x-bft-error')
  const known = error !== undefined && isCode(named) ? named : 'misunderstood'
  const isTooDeep = isBelowPath(received, known)
  return new ClientError(isTooDeep ? 'misunderstood' : known, messageOf(received, isTooDeep), {
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
function isBelowPath({ error = '', base }: ErrorResponse, code: string): boolean {
  const { pathname } = new URL(base)
  if (pathname === '/') return false
  const isRepeated = [`${pathname}/api/`, `${pathname}/registry/`].some((path) => error.includes(path))
  return code === 'methodNotAllowed' || (code === 'unknownPath' && isRepeated)
}

function messageOf({ response, error, text, base }: ErrorResponse, isTooDeep: boolean): string {
  const { status, headers } = response
  if (isTooDeep)
    return `no read API at ${base}: the url of a client must be the address of the daemon without the path of an API, such as ${new URL(base).origin}`
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

export function isCode(named: string | null): named is SpliceErrorCode {
  return named !== null && Object.hasOwn(spliceErrors, named)
}
