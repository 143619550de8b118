import { type QuorumReached, type SpliceErrorCode, spliceErrors } from '../errors/splice.ts'

/**
 * Why a call of a client failed: a code of `docs/errors.md`, or one of five further codes. `badUrl`: the
 * client was given no URL that is the address of a daemon. `badToken`: no header can carry the token.
 * `badOption`: an option is unknown or has a wrong type. `unreachable`: no server answered at the daemon's
 * address. `misunderstood`: the server there is no daemon that this client knows, or the address contains the
 * path of an API.
 */
export type ClientErrorCode = SpliceErrorCode | OwnCode

/** The codes of mistakes in the program that uses the client. */
const mistakes = ['badUrl', 'badToken', 'badOption'] as const

type Mistake = (typeof mistakes)[number]

type OwnCode = Mistake | 'unreachable' | 'misunderstood'

interface ErrorDetails {
  readonly status?: number
  readonly retryAfter?: number | undefined
  readonly quorum?: QuorumReached | undefined
  readonly cause?: unknown
}

/**
 * The error of a client: for a bad question, for a failure between the client and its daemon, or for an error
 * that the daemon reports. The client sends no request for a bad question.
 */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly code: ClientErrorCode
  /** The HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined
  /** True if the same request may succeed later without any change. */
  readonly retryable: boolean
  /** The seconds after which the daemon asks to repeat the request; undefined if the daemon named none. */
  readonly retryAfter: number | undefined
  /** How many super validators agreed, and how many had to. Present if they were asked and did not agree. */
  readonly quorum: QuorumReached | undefined

  constructor(code: ClientErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status
    this.retryAfter = details.retryAfter
    this.quorum = details.quorum
    this.retryable = isRetryable(code, details.status)
  }
}

function isRetryable(code: ClientErrorCode, status: number | undefined): boolean {
  if (isMistake(code)) return false
  if (code !== 'unreachable' && code !== 'misunderstood') return spliceErrors[code].retryable
  return status === undefined || status === 429 || status >= 500
}

function isMistake(code: ClientErrorCode): code is Mistake {
  return mistakes.some((mistake) => mistake === code)
}
