/** Why a step of connecting failed. */
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
  /** The forward proxy could not be reached, or did not open a tunnel. */
  | 'proxy'
  | 'other'

/** The outcome of one step of connecting. */
export type ConnectStep =
  | { readonly kind: 'passed' }
  /** The step does not exist here, or an earlier one failed. */
  | { readonly kind: 'skipped' }
  | { readonly kind: 'failed'; readonly problem: ConnectProblem; readonly detail: string }

/** A certificate that a scan presented, whether or not it is valid. */
export interface SeenCertificate {
  /** The names that it is for, as it lists them. */
  readonly names: string
  readonly issuer: string
  /** Milliseconds since 1970. */
  readonly endsAt: number
}

/** One connection to a scan, step by step. */
export interface Inspection {
  /** The forward proxy as `host:port`; null if the connection is direct. It then does the first two steps. */
  readonly proxy: string | null
  readonly addresses: readonly string[]
  /** This machine's end of the connection; null if there was none. */
  readonly localAddress: string | null
  readonly dns: ConnectStep
  readonly tcp: ConnectStep
  readonly tls: ConnectStep
  readonly certificate: SeenCertificate | null
}

/** The longest time that each step may take, read when the step begins. */
export interface InspectionLimits {
  readonly dnsMs: number
  readonly tcpMs: number
  readonly tlsMs: number
}
