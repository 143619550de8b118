export type ConnectProblem =
  /** The address is not public, and `scanClient.allowPrivate` is false. */
  | 'blocked'
  | 'no-address'
  | 'timeout'
  | 'refused'
  | 'reset'
  | 'no-route'
  | 'expired'
  | 'not-yet-valid'
  | 'other-name'
  | 'untrusted'
  | 'no-tls'
  | 'proxy'
  | 'other'

export type ConnectStep =
  | { readonly kind: 'passed' }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly problem: ConnectProblem; readonly detail: string }

export interface SeenCertificate {
  readonly names: string
  readonly issuer: string
  /** The time at which the certificate expires, in milliseconds since 1970. */
  readonly endsAt: number
}

export interface Inspection {
  /**
   * The forward proxy as `host:port`; null if the connection is direct. With a proxy, the step
   * `tcp` includes the tunnel, and `dns` passes with `tcp`, because the proxy resolves the name.
   */
  readonly proxy: string | null
  /** The addresses of the scan's name. Empty with a proxy, and if the URL has an IP address. */
  readonly addresses: readonly string[]
  readonly localAddress: string | null
  readonly dns: ConnectStep
  readonly tcp: ConnectStep
  readonly tls: ConnectStep
  readonly certificate: SeenCertificate | null
}

/**
 * The time limit of each step. An inspection reads the limit of a step when the step begins, so a
 * getter can return what is left of a limit for all steps together.
 */
export interface InspectionLimits {
  readonly dnsMs: number
  readonly tcpMs: number
  readonly tlsMs: number
}
