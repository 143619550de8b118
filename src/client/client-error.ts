import { type QuorumReached, type SpliceErrorCode, spliceErrors } from '../base/errors/splice.ts'

/**
 * The reason why a call of a client failed: a code of `docs/errors.md`, or one of these:
 * - `badUrl`: the URL is not the address of a daemon.
 * - `badToken`: the token contains characters that no header can carry.
 * - `badOption`: an option is unknown or has a wrong value.
 * - `unreachable`: the daemon gave no response, or its response was late or broke off.
 * - `redirected`: the server at this address redirects, and the client follows no redirect.
 * - `misunderstood`: the response is not that of a daemon, or answers another question. Often the
 *   address is that of another server, or contains the path of an API.
 */
export type ClientErrorCode = SpliceErrorCode | OwnCode

const mistakes = ['badUrl', 'badToken', 'badOption'] as const

type Mistake = (typeof mistakes)[number]

type OwnCode = Mistake | 'unreachable' | 'redirected' | 'misunderstood'

interface ErrorDetails {
  readonly status?: number
  readonly retryAfter?: number | undefined
  readonly quorum?: QuorumReached | undefined
  readonly requestId?: string | undefined
  readonly cause?: unknown
}

/**
 * The error of a call: a mistake of the program, a failure on the way to the daemon, or an error
 * that the daemon reports. After a mistake, the client sends no request.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** The HTTP status of the response; undefined if there was no response. */
  readonly status: number | undefined
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** The seconds to wait before the next try. Undefined if the daemon sent no `retry-after`. */
  readonly retryAfter: number | undefined
  /**
   * The size of the largest group of equal votes, and the number that had to be equal. Present only
   * for a 5xx status of a daemon that knows its super validators.
   */
  readonly quorum: QuorumReached | undefined
  /**
   * The `x-request-id` of the response, by which the daemon's operator finds the request in the
   * log.
   */
  readonly requestId: string | undefined

  constructor(code: ClientErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfter = details.retryAfter
    this.quorum = details.quorum
    this.requestId = details.requestId
    this.retryable = isRetryable(code, details.status)
  }
}

function isRetryable(code: ClientErrorCode, status: number | undefined): boolean {
  if (isMistake(code) || code === 'redirected') return false
  if (code !== 'unreachable' && code !== 'misunderstood') return spliceErrors[code]?.retryable === true
  return status === undefined || status === 429 || status >= 500
}

function isMistake(code: ClientErrorCode): code is Mistake {
  return mistakes.some((mistake) => mistake === code)
}
