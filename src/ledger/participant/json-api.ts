import { LedgerUnavailable } from '../ledger.ts'

/** A request to a participant's JSON Ledger API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** The path below the API's base URL, with its query: `/v2/state/ledger-end`. */
  readonly path: string
  /** The bearer token; undefined if the path needs none. */
  readonly token: string | undefined
  /** The body, which is sent as JSON. */
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  /** The type in lower case, without parameters; empty if the answer has none. */
  readonly contentType: string
  /** The whole body. */
  readonly text: string
}

/** The text frames of a websocket. */
export interface Frames extends Disposable {
  /**
   * Returns the frames since the last read, in order, at least one. Returns an empty list once the other side has
   * closed normally. While nobody reads, the connection applies back pressure to the other side.
   * @throws LedgerUnavailable for a broken connection, once the frames before it are read.
   */
  read(signal: AbortSignal): Promise<readonly string[]>
  /** The age of the open connection in milliseconds. */
  readonly ageMs: number
}

/**
 * One participant's JSON Ledger API. Both methods have time-outs and size limits. They reject with
 * `LedgerUnavailable` if no complete answer arrives, and with the signal's reason if the signal aborts.
 */
export interface JsonApi extends AsyncDisposable {
  call(request: ApiRequest, signal: AbortSignal): Promise<ApiAnswer>
  /** Opens a websocket on the path and sends one frame: the request as JSON. It ends when the signal aborts. */
  open(path: string, token: string | undefined, request: unknown, signal: AbortSignal): Promise<Frames>
}

/** An answer exceeds the size limit. A smaller request may succeed. */
export class TooLarge extends LedgerUnavailable {}
