import { LedgerUnavailable } from '../ledger.ts'

/** A request to a participant's JSON Ledger API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** Below the API's root, query included: `/v2/state/ledger-end`. */
  readonly path: string
  /** The bearer token; undefined if the path needs none. */
  readonly token: string | undefined
  /** Sent as JSON. */
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  /** In lower case, without parameters; empty if the answer has none. */
  readonly contentType: string
  /** The whole body. */
  readonly text: string
}

/** The text frames of a websocket. */
export interface Frames extends Disposable {
  /**
   * The frames since the last read, in order, at least one; empty once the other side has closed normally. Without
   * reads the connection applies back pressure to the other side.
   * @throws LedgerUnavailable for a broken connection, once the frames before it are read.
   */
  read(signal: AbortSignal): Promise<readonly string[]>
  /** How long the connection has been up, milliseconds. */
  readonly ageMs: number
}

/**
 * One participant's JSON Ledger API. Both methods end within their time-outs, hold no more than their limits, and reject
 * with `LedgerUnavailable` where no whole answer came, with the signal's reason where it aborts.
 */
export interface JsonApi extends AsyncDisposable {
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>
  /** Opens a websocket on the path and sends one frame: the request as JSON. It ends when the signal aborts. */
  open(path: string, token: string | undefined, request: unknown, signal: AbortSignal): Promise<Frames>
}

/** An answer exceeds the size limit. A smaller request may succeed. */
export class TooLarge extends LedgerUnavailable {}
