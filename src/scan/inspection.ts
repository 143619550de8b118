/** Why a step of opening a connection failed. */
export type ConnectProblem =
  /** The address guard forbids the address. */
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
  /** The host names in the certificate, as it lists them. */
  readonly names: string
  readonly issuer: string
  /** When the certificate expires, in milliseconds since 1970. */
  readonly endsAt: number
}

/** What happened at each step of opening a connection to a scan. */
export interface Inspection {
  /**
   * The forward proxy as `host:port`; null if the connection is direct. A proxy does the steps `dns` and
   * `tcp` for the daemon.
   */
  readonly proxy: string | null
  readonly addresses: readonly string[]
  /** The local address of the connection; null if there was no connection. */
  readonly localAddress: string | null
  readonly dns: ConnectStep
  readonly tcp: ConnectStep
  readonly tls: ConnectStep
  readonly certificate: SeenCertificate | null
}

/** The most milliseconds that each step may take. A limit is read when its step begins. */
export interface InspectionLimits {
  readonly dnsMs: number
  readonly tcpMs: number
  readonly tlsMs: number
}
