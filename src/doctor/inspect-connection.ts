import { isIP, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Clock } from '../base/lib/clock.ts'
import { AddressBlockedError, type AddressLookup, type ScanTarget } from '../core/scan/address-guard.ts'
import { forwardProxyTo, type ProxyOptions } from '../core/scan/forward-proxy.ts'
import { connectorTo, type ScanConnector, TunnelError } from '../core/scan/node.connect.ts'

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

type InspectedTarget = Extract<ScanTarget, { kind: 'usable' }>

export interface InspectionOptions {
  readonly proxy: ProxyOptions
  readonly allowPrivate: boolean
  readonly limits: InspectionLimits
}

interface InspectionDeps {
  readonly clock: Clock
  readonly lookup?: AddressLookup | undefined
}

/**
 * Connects to a scan as the daemon does, observes each step, and closes the connection. The promise
 * never rejects, and resolves at the latest when the time limits of all steps are over.
 */
export function inspectConnection(
  target: InspectedTarget,
  options: InspectionOptions,
  deps: InspectionDeps,
): Promise<Inspection> {
  return new Promise((resolve) => new Inspector(target, options, deps, resolve).start())
}

type StepName = 'dns' | 'tcp' | 'tls'

const skipped: ConnectStep = { kind: 'skipped' }
const passed: ConnectStep = { kind: 'passed' }

class Inspector {
  readonly #target: InspectedTarget
  readonly #limits: InspectionLimits
  readonly #clock: Clock
  readonly #proxy: string | null
  readonly #connector: ScanConnector
  readonly #resolve: (inspection: Inspection) => void
  readonly #steps: Record<StepName, ConnectStep> = { dns: skipped, tcp: skipped, tls: skipped }
  readonly #addresses: string[] = []
  #localAddress: string | null = null
  #certificate: SeenCertificate | null = null
  #step: StepName
  #cancelTimer: (() => void) | undefined
  #isDone = false

  constructor(
    target: InspectedTarget,
    { proxy, allowPrivate, limits }: InspectionOptions,
    { clock, lookup }: InspectionDeps,
    resolve: (inspection: Inspection) => void,
  ) {
    const forwardProxy = forwardProxyTo(target, proxy)
    this.#target = target
    this.#limits = limits
    this.#clock = clock
    this.#resolve = resolve
    this.#proxy = forwardProxy === undefined ? null : `${forwardProxy.host}:${forwardProxy.port}`
    this.#step = forwardProxy !== undefined || isIP(target.host) !== 0 ? 'tcp' : 'dns'
    // The inspector limits each step itself, so the connector's own limit must never expire first.
    const connectTimeoutMs = 2 * (limits.dnsMs + limits.tcpMs + limits.tlsMs)
    this.#connector = connectorTo(
      target,
      { proxy, allowPrivate, connectTimeoutMs },
      {
        clock,
        lookup,
        opened: (socket, to) => (to === 'scan' ? this.#watch(socket) : this.#watchProxy(socket)),
      },
    )
  }

  start(): void {
    this.#begin(this.#step)
    const { host, port, secure } = this.#target
    const protocol = secure ? 'https:' : 'http:'
    this.#connector.connect({ hostname: host, host, port: String(port), protocol }, (error, socket) => {
      if (error !== null) return this.#fail(problemOf(error, this.#proxy, this.#step), messageOf(error))
      this.#pass(secure ? 'tls' : 'tcp')
      this.#end()
      socket.destroy()
    })
  }

  #watch(socket: Socket): void {
    if (this.#proxy !== null) {
      // TLS inside the tunnel begins only when the proxy has resolved the scan's name and has
      // connected. The steps before TLS have therefore passed.
      this.#pass('tcp', 'tls')
    } else {
      socket.on('lookup', (error: Error | null, address: string) => {
        if (error !== null || !address) return
        this.#addresses.push(address)
        if (this.#step === 'dns') this.#pass('dns', 'tcp')
      })
      socket.once('connect', () => {
        this.#localAddress = socket.localAddress ?? null
        if (this.#target.secure) this.#pass('tcp', 'tls')
      })
    }
    // Node emits `secure` after the handshake, before it verifies the certificate. After a failed
    // verification, the certificate cannot be read any more.
    if (socket instanceof TLSSocket)
      socket.prependOnceListener('secure', () => {
        this.#certificate = certificateOf(socket)
      })
  }

  #watchProxy(socket: Socket): void {
    socket.once('connect', () => {
      this.#localAddress = socket.localAddress ?? null
      this.#begin('tcp')
    })
  }

  #begin(step: StepName): void {
    this.#step = step
    this.#cancelTimer?.()
    const ms = this.#limits[`${step}Ms`]
    this.#cancelTimer = this.#clock.after(ms, () => this.#fail('timeout', `no answer within ${ms} ms`))
  }

  #pass(step: StepName, next?: StepName): void {
    if (this.#isDone) return
    this.#steps[step] = passed
    // A step that passed shows that the earlier steps passed too: TLS begins only on an open
    // connection, and a proxy resolves the name before it opens the tunnel.
    if (step === 'tls' || this.#proxy !== null) this.#steps.tcp = passed
    if (this.#proxy !== null) this.#steps.dns = passed
    if (next !== undefined) this.#begin(next)
  }

  #fail(problem: ConnectProblem, detail: string): void {
    if (this.#isDone) return
    this.#steps[this.#step] = { kind: 'failed', problem, detail }
    this.#end()
    this.#connector[Symbol.dispose]()
  }

  #end(): void {
    this.#isDone = true
    this.#cancelTimer?.()
    this.#resolve({
      proxy: this.#proxy,
      addresses: [...new Set(this.#addresses)],
      localAddress: this.#localAddress,
      ...this.#steps,
      certificate: this.#certificate,
    })
  }
}

function certificateOf(socket: TLSSocket): SeenCertificate | null {
  const certificate = socket.getPeerX509Certificate()
  if (certificate === undefined) return null
  const { subject, subjectAltName, issuer, validToDate } = certificate
  return {
    names: (subjectAltName ?? subject ?? '').replace(/\b(?:DNS|IP Address):/g, ''),
    issuer: commonNameIn(issuer ?? ''),
    endsAt: validToDate.getTime(),
  }
}

function commonNameIn(name: string): string {
  const attribute = (key: string) => new RegExp(`^${key}=(.*)$`, 'm').exec(name)?.[1]
  return [attribute('CN'), attribute('O')].filter((part) => part !== undefined).join(', ') || name
}

const problems: Readonly<Record<string, ConnectProblem>> = {
  ENOTFOUND: 'no-address',
  EAI_AGAIN: 'no-address',
  EAI_FAIL: 'no-address',
  EAI_NODATA: 'no-address',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  EHOSTUNREACH: 'no-route',
  ENETUNREACH: 'no-route',
  EADDRNOTAVAIL: 'no-route',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'not-yet-valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'other-name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
  CERT_UNTRUSTED: 'untrusted',
  CERT_REVOKED: 'untrusted',
  EPROTO: 'no-tls',
}

function problemOf(error: Error, proxy: string | null, step: StepName): ConnectProblem {
  if (error instanceof AddressBlockedError) return 'blocked'
  if (error instanceof TunnelError || (proxy !== null && step !== 'tls')) return 'proxy'
  const codes = causesOf(error).map((cause) => (cause as NodeJS.ErrnoException).code ?? '')
  if (codes.some((code) => code.startsWith('ERR_SSL_'))) return 'no-tls'
  const known = codes.flatMap((code) => problems[code] ?? [])
  // A machine without IPv6 has no route to the IPv6 addresses of any scan, so the error of another
  // address is more informative.
  const problem = known.find((one) => one !== 'no-route') ?? known[0]
  if (problem !== undefined) return problem
  // A server that closes the connection during the handshake causes an error without a code, which
  // only its message identifies.
  return error.message.includes('closed while connecting') ? 'reset' : step === 'dns' ? 'no-address' : 'other'
}

function causesOf(error: Error): readonly Error[] {
  return error instanceof AggregateError ? error.errors : [error]
}

/**
 * Returns the message of the error, or the messages of its causes. Each message is cut at its first
 * semicolon or line break, because advice about Node's own flags follows there.
 */
function messageOf(error: Error): string {
  const messages = causesOf(error).map(({ message, name }) => message.split(/[;\n]/)[0] || name)
  return [...new Set(messages)].join(', ')
}
