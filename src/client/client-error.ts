import { type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

/**
 * A row of `docs/errors.md`; or `unreachable`: nobody answered at the daemon's address; or `misunderstood`: whoever
 * answered there is no daemon that this client knows.
 */
export type ClientErrorCode = SpliceErrorCode | 'unreachable' | 'misunderstood'

/** What went wrong between a client and its daemon, or what the daemon says went wrong. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** Undefined where there was no answer. */
  readonly status: number | undefined
  /** Whether the same request may succeed later without any change to it. */
  readonly retryable: boolean
  /** Seconds after which the daemon wants to be asked again. */
  readonly retryAfter: number | undefined

  constructor(
    code: ClientErrorCode,
    message: string,
    details: { status?: number; retryAfter?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfter = details.retryAfter
    this.retryable = isRetryable(code, details.status)
  }
}

function isRetryable(code: ClientErrorCode, status: number | undefined): boolean {
  if (code !== 'unreachable' && code !== 'misunderstood') return spliceErrors[code].retryable
  return status === undefined || status === 429 || status >= 500
}

/** The error that a daemon answered. */
export function errorOf({ status, headers }: Response, text: string | undefined): ClientError {
  const code = text === undefined ? 'misunderstood' : codeOf(status, text)
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  const message = text ?? `the answer, with status ${status}, is not that of a daemon`
  return new ClientError(code, message, {
    status,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  })
}

/** Rows whose whole text depends on the case, by their statuses. */
const ofAnyText: Readonly<Record<number, SpliceErrorCode>> = { 401: 'unauthorized', 501: 'notAgreeable' }

function codeOf(status: number, text: string): ClientErrorCode {
  const known = patterns.find((row) => row.status === status && row.pattern.test(text))
  return known?.code ?? ofAnyText[status] ?? 'misunderstood'
}

/** What says most about its text comes first. */
const patterns = Object.entries(spliceErrors)
  .map(([code, { status, text }]) => {
    const literals = text.split(/\{\w+\}/)
    const pattern = new RegExp(`^${literals.map(escaped).join('.*')}$`, 's')
    return { code: code as SpliceErrorCode, status, pattern, length: literals.join('').trim().length }
  })
  .filter(({ length }) => length > 0)
  .sort((a, b) => b.length - a.length)

/** As `RegExp.escape`, which browsers and Nodes have only since 2025. */
function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
