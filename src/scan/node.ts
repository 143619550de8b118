import type { FaultKind } from '../quorum/reply.ts'
import type { AlikeBodies } from './alike-bodies.ts'

/** A question as it goes over the wire. */
export interface ScanRequest {
  readonly method: 'GET' | 'POST'
  /** Below the scan's host root, encoded, with its query: `/api/scan/v0/dso-party-id`. */
  readonly path: string
  /** A JSON text; absent for GET. */
  readonly body?: string
  /** The most bytes of body, decoded, that are read before the ask ends as `oversized`. */
  readonly maxBytes: number
  /** The whole ask, queueing and connecting included. */
  readonly timeoutMs: number
  /** With the bodies of others that are asked the same; on its own where absent. */
  readonly alike?: AlikeBodies | undefined
  /** W3C; left out where nothing is traced. */
  readonly traceParent?: string
}

/** The faults that a transport can tell by itself. */
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

/** `resent`: the request went out twice, as a kept-alive connection was closed under it. */
export type ScanResponse =
  | {
      readonly kind: 'response'
      readonly status: number
      /** Decoded from its content coding; never more than `maxBytes`. */
      readonly body: Buffer
      readonly resent?: boolean
      /** Gives the body's bytes back to the node's budget. Called exactly once, when the body is let go. */
      release(): void
    }
  | {
      readonly kind: 'fault'
      readonly fault: TransportFault
      readonly detail: string
      readonly resent?: boolean
    }

/**
 * One scan node. `ask` resolves for every fault of the node, silence and nonsense included: a fault is a
 * reply, and replies are what the quorum counts. It rejects only when `signal` aborts.
 */
export interface ScanNode extends AsyncDisposable {
  /** The host root, without a trailing slash: `https://scan.sv-1.example.org`. */
  readonly url: string
  ask(request: ScanRequest, signal: AbortSignal): Promise<ScanResponse>
  /** Opens a connection ahead of the first ask; a failure is silent. */
  warm(): void
}
