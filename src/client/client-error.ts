import { type QuorumReached, type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

/**
 * The reason why a call of a client failed: a code of `docs/errors.md`, or one of six further codes.
 * - `badUrl`: the URL is not the address of a daemon.
 * - `badToken`: the token contains characters that no header can carry.
 * - `badOption`: an option is unknown or has a wrong value.
 * - `unreachable`: no server answered at the daemon's address, or its response was not complete in time or
 *   broke off.
 * - `redirected`: the server at this address redirects to another one, and the client follows no redirect.
 * - `misunderstood`: the response is not in the format of a daemon, or answers another question. Often the
 *   address is that of another server, or contains the path of an API.
 */
export type ClientErrorCode = SpliceErrorCode | OwnCode

/** The codes of mistakes in the program that uses the client. */
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
 * The error of a client: for a mistake of the program (a bad question, option, URL or token), for a failure
 * between the client and its daemon, or for an error that the daemon reports. After a mistake, the client
 * sends no request.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** The HTTP status of the response; undefined if there was no response. */
  readonly status: number | undefined
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** The seconds to wait before the next try (`retry-after`). Undefined if the daemon sent no such header. */
  readonly retryAfter: number | undefined
  /**
   * The size of the largest group of equal votes, and the threshold. Present if a read failed with a 5xx
   * status and the daemon has a roster; undefined for all other errors. `asked` is 0 if no super validator
   * was asked.
   */
  readonly quorum: QuorumReached | undefined
  /**
   * The `x-request-id` of the response, by which the daemon's operator finds the request in the log.
   * Undefined if there was no response, or if the response has no such header.
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
