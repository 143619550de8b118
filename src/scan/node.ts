import type { FaultKind } from '../quorum/reply.ts'
import type { AlikeBodies } from './body-deduplication.ts'
import type { RequestGroup } from './request-group.ts'

export interface ScanRequest {
  readonly method: 'GET' | 'POST'
  /**
   * The path relative to the scan's base URL, percent-encoded, with its query: `/api/scan/v0/dso-party-id`.
   */
  readonly path: string
  /** JSON; absent for GET. */
  readonly body?: string
  /**
   * The maximum size of the response's body after decoding, in bytes. Beyond it, the request fails as
   * `oversized`.
   */
  readonly maxBytes: number
  /**
   * The time limit for the whole request, in milliseconds, including the time in the queue and for
   * connecting.
   */
  readonly timeoutMs: number
  /**
   * The bodies of the other responses to the same question. The body of this response shares memory with
   * bodies that begin with the same bytes. If `alike` is absent, the body is stored separately.
   */
  readonly alike?: AlikeBodies | undefined
  /** The value of the W3C header `traceparent`; absent without tracing. */
  readonly traceParent?: string
}

/** The faults that the transport can detect without knowing what the body should contain. */
export type TransportFault = Extract<
  FaultKind,
  | 'unreachable'
  | 'blocked'
  | 'reset'
  | 'timeout'
  | 'busy'
  | 'held-back'
  | 'oversized'
  | 'truncated'
  | 'not-json'
>

/**
 * The outcome of a request: the scan's response, or a fault. `resent` is true if the daemon sent the request
 * twice, because a kept-alive connection closed during the first attempt.
 */
export type ScanResponse =
  | {
      readonly kind: 'response'
      readonly status: number
      /** The body after its content coding was decoded; never more than `maxBytes`. */
      readonly body: Buffer
      readonly resent?: boolean
      /**
       * Frees the body's bytes in the node's budget. The caller calls it exactly once, when it no longer
       * needs the body.
       */
      release(): void
    }
  | {
      readonly kind: 'fault'
      readonly fault: TransportFault
      readonly detail: string
      /** The error code of Node or OpenSSL, if an error ended the connection. */
      readonly code?: string | undefined
      readonly resent?: boolean
    }

/**
 * One scan node. `ask` resolves for every fault of the node, including a time-out or an invalid response,
 * because the quorum counts a fault as a reply. It rejects only when the group's signal aborts.
 */
export interface ScanNode extends AsyncDisposable {
  /** The scan's base URL, without a trailing slash: `https://scan.sv-1.example.org`. */
  readonly url: string
  /** Whether at least one connection to the node is open. */
  readonly isConnected: boolean
  ask(request: ScanRequest, group: RequestGroup): Promise<ScanResponse>
  /** Opens a connection before the first request needs one. Ignores a failure. */
  warm(): void
}
