/** The reason why a step of opening a connection failed. */
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
  /** The daemon could not reach the forward proxy, or the proxy did not open a tunnel. */
  | 'proxy'
  | 'other'

/** The outcome of one step of opening a connection. */
export type ConnectStep =
  | { readonly kind: 'passed' }
  /** This connection does not need the step, or an earlier step failed. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly problem: ConnectProblem; readonly detail: string }

/** A certificate that a scan presented, whether or not it is valid. */
export interface SeenCertificate {
  /**
   * The host names and IP addresses in the certificate, separated by commas. If the certificate lists none,
   * the subject of the certificate.
   */
  readonly names: string
  readonly issuer: string
  /** The time at which the certificate expires: milliseconds since 1970. */
  readonly endsAt: number
}

/**
 * The outcome of each step of opening a connection to a scan, with the addresses and the certificate that
 * were seen.
 */
export interface Inspection {
  /**
   * The forward proxy as `host:port`; null if the connection is direct. If there is a proxy:
   * - The step `tcp` includes opening the tunnel.
   * - The step `dns` passes when `tcp` passes, because the proxy resolves the scan's name.
   */
  readonly proxy: string | null
  /**
   * The addresses to which the scan's name was resolved. Empty with a proxy, and if the URL has an IP
   * address.
   */
  readonly addresses: readonly string[]
  /** The local address of the connection; null if there was no connection. */
  readonly localAddress: string | null
  readonly dns: ConnectStep
  readonly tcp: ConnectStep
  readonly tls: ConnectStep
  /** The scan's certificate. Null if the URL is http, or if the scan presented none. */
  readonly certificate: SeenCertificate | null
}

/**
 * The time limit of each step, in milliseconds. The inspection reads the limit of a step when the step
 * begins. A getter can therefore return the time that is left of a limit for all steps together.
 */
export interface InspectionLimits {
  readonly dnsMs: number
  readonly tcpMs: number
  readonly tlsMs: number
}
