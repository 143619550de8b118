import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { milliseconds, systemClock } from '../lib/clock.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { Count } from '../quorum/threshold.ts'
import type { Case, CaseStatement } from '../scan/evidence-log.ts'
import type { SeedState } from '../scan/seed-results.ts'
import type { ReadCounts } from '../telemetry/recent-read-counts.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, tellConfig } from './print.ts'

/** The fields of the daemon's `/status` that commands show. */
export interface DaemonStatus {
  readonly version: string
  readonly network: string
  readonly mode: string
  readonly ready: boolean
  readonly uptimeSeconds: number
  /** Whether the threshold protects against f faulty super validators. Null if the daemon has no roster. */
  readonly protected: boolean | null
  readonly waitingFor?: string
  readonly warning?: string
  /** The outcome of the last request to each seed. Absent if the daemon is of an earlier version. */
  readonly seeds?: readonly Pick<SeedState, 'outcome'>[]
  readonly roster: DaemonRoster | null
  readonly thresholds: {
    readonly general: { readonly superValidators: Count; readonly operators?: Count }
  } | null
  /**
   * The counts of recent reads for which the daemon asked super validators. Absent if the daemon is of an
   * earlier version.
   */
  readonly reads?: ReadCounts
  readonly cache: {
    readonly memory: { readonly values: number; readonly absences: number; readonly maxBytes: number }
    readonly redis: string
  }
  /** The state of the mirror. Absent if the daemon is of an earlier version. */
  readonly mirror?: DaemonMirror
  readonly ledger: {
    readonly driver: string
    readonly kept?: string
    readonly url?: string
    readonly writesStopped?: string
  }
}

export interface DaemonMirror {
  /**
   * The level at which the mirror currently answers. It is lower than the configured level, `wanted`, while
   * the mirror is degraded.
   */
  readonly level: string
  readonly wanted: string
  /**
   * The reason why the mirror's file lacks some of the mirror's content; null if the file lacks nothing, or
   * if no file is configured. Absent if the daemon is of an earlier version.
   */
  readonly unkeptBecause?: string | null
  /**
   * The reason why only live reads answer lookups of some unexpired names; null if there is no such reason.
   * Absent if the daemon is of an earlier version.
   */
  readonly liveBecause?: string | null
  /**
   * The record time of the mirrored names, in ISO 8601: the ledger had exactly these names then. Null while
   * the mirror has no names; absent if the daemon has no mirror.
   */
  readonly asOf?: string | null
  /**
   * The reason why the mirror does not work as configured; null if it works. Absent if the daemon has no
   * mirror.
   */
  readonly degradedBecause?: string | null
  /**
   * The time at which the next drain begins, in ISO 8601. `nextDrainSeconds` is the time until then by the
   * daemon's clock, in seconds: 0 while a drain is due or under way. Both are absent if the daemon has no
   * mirror, or is of an earlier version.
   */
  readonly nextDrain?: string
  readonly nextDrainSeconds?: number
}

export interface DaemonRoster {
  readonly source: string
  readonly ageSeconds: number | null
  readonly dso: string
  readonly superValidators: readonly DaemonMember[]
}

export interface DaemonMember {
  readonly names: readonly string[]
  readonly operator: string | null
  readonly url: string | null
  readonly reachable: boolean
  readonly replySeconds: number | null
  readonly place: number | null
  readonly cordoned?: boolean
  readonly pause: { readonly why: string; readonly until: string } | null
}

/**
 * A case of evidence in the response to `/evidence`. Its statements have only the digests of their bodies;
 * `DaemonEvidence.bodies` has the bodies.
 */
export type EvidenceCase = Omit<Case, 'statements'> & {
  readonly statements: readonly Omit<CaseStatement, 'body'>[]
}

export interface DaemonEvidence {
  /** The cases, newest first. */
  readonly cases: readonly EvidenceCase[]
  /** The bodies of all statements, by digest. */
  readonly bodies: Readonly<Record<string, string>>
}

/**
 * The error if no daemon answers at the address, if another program answers there, or if the daemon answers
 * with an error. Its message is a sentence for the user.
 */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon'
}

/**
 * Advice for a GET that fails with 404. The operations address of every daemon has the paths that commands
 * request, so the URL that the user gave is probably the daemon's public address.
 */
const publicAddressHint =
  '; this may be the public address of a daemon (http.port), and --operations needs its operations address (operations.port, by default 9464)'

const patienceMs = milliseconds('10s')

/**
 * Sends requests to the operations address of a running daemon. The methods reject with `NoDaemon` if no
 * response arrives, or if the status of the response is not 2xx.
 */
export class RunningDaemon {
  /** The operations address, without a slash at its end. */
  readonly url: string
  readonly #stop: AbortSignal | undefined

  /** @param stop aborts the requests in progress. */
  constructor(url: string, stop?: AbortSignal) {
    this.url = url
    this.#stop = stop
  }

  async status(): Promise<DaemonStatus> {
    const status = (await this.#get('/status')) as Partial<DaemonStatus>
    if (typeof status.version === 'string' && status.cache !== undefined) return status as DaemonStatus
    throw new NoDaemon(`${this.url} is no operations address of bft-scan-proxy`)
  }

  async evidence(query: Readonly<Record<string, string>> = {}): Promise<DaemonEvidence> {
    const evidence = (await this.#get(`/evidence?${new URLSearchParams(query)}`)) as Partial<DaemonEvidence>
    if (Array.isArray(evidence.cases)) return evidence as DaemonEvidence
    throw new NoDaemon(`${this.url} is no operations address of bft-scan-proxy`)
  }

  /** Sends a DELETE request to a path below `/admin`. */
  async remove(path: string): Promise<void> {
    await this.#get(path, 'DELETE')
  }

  async #get(path: string, method = 'GET'): Promise<object> {
    const source = new AbortController()
    const cancel = systemClock.after(patienceMs, () => source.abort(new Error('it took too long')))
    const signal = this.#stop === undefined ? source.signal : AbortSignal.any([source.signal, this.#stop])
    try {
      const response = await fetch(`${this.url}${path}`, { method, signal })
      const text = await response.text()
      if (response.ok) return objectIn(text)
      const hint = method === 'GET' && response.status === 404 ? publicAddressHint : ''
      throw new NoDaemon(`${this.url} answers ${response.status}: ${reasonIn(text)}${hint}`)
    } catch (error) {
      if (error instanceof NoDaemon) throw error
      throw new NoDaemon(`no daemon answers at ${this.url}: ${causeOf(error)}${hintOf(error as Error)}`, {
        cause: error,
      })
    } finally {
      cancel()
    }
  }
}

/**
 * Returns the URL at which this machine reaches the operations address of a daemon with this configuration.
 */
export function operationsUrl({ operations }: Pick<Config, 'operations'>): string {
  return urlOf(operations)
}

/** Returns the URL at which this machine reaches the public address of a daemon with this configuration. */
export function httpUrl({ http }: Pick<Config, 'http'>): string {
  return urlOf(http)
}

function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

/**
 * Returns the daemon at the given operations address, or at the configured one.
 * @param given the value of `--operations`.
 * @param stop aborts the requests in progress.
 * @returns the exit code if the configuration or the value is bad; the reason is then already printed.
 */
export function runningDaemonOf(
  given: string | undefined,
  print: Print,
  options: LoadConfigOptions,
  stop?: AbortSignal,
): RunningDaemon | number {
  if (given !== undefined) return daemonAt(given, print, stop)
  const loaded = loadConfig(options)
  tellConfig(print, loaded)
  return loaded.ok ? new RunningDaemon(operationsUrl(loaded.config), stop) : exitCodes.badConfig
}

/**
 * Returns the daemon at this operations address.
 * @param given the value of `--operations`.
 * @param stop aborts the requests in progress.
 * @returns the exit code if the value is bad; the reason is then already printed.
 */
export function daemonAt(given: string, print: Print, stop?: AbortSignal): RunningDaemon | number {
  const url = URL.parse(given.includes('://') ? given : `http://${given}`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '')
    return new RunningDaemon(`${url.origin}${url.pathname}`.replace(/\/+$/, ''), stop)
  return misused(print, `--operations must be an http or https URL without credentials, not ${given}`)
}

/**
 * Calls `asks` with the daemon at the given or configured address, and resolves with the exit code that
 * `asks` returns. If `asks` fails with `NoDaemon`, prints the reason and resolves with
 * `exitCodes.unavailable`. With `json`, the reason is printed as one line of JSON.
 */
export async function askDaemon(
  { operations, json }: { readonly operations: string | undefined; readonly json: boolean },
  print: Print,
  options: LoadConfigOptions,
  asks: (daemon: RunningDaemon) => Promise<number>,
): Promise<number> {
  const daemon = runningDaemonOf(operations, print, options)
  if (typeof daemon === 'number') return daemon
  try {
    return await asks(daemon)
  } catch (error) {
    if (!(error instanceof NoDaemon)) throw error
    if (json) print.out(JSON.stringify({ kind: 'error', error: error.message }))
    else print.err(error.message)
    return exitCodes.unavailable
  }
}

function objectIn(text: string): object {
  try {
    const parsed: unknown = parseJsonText(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

function reasonIn(text: string): string {
  const { error } = objectIn(text) as { readonly error?: unknown }
  return typeof error === 'string' ? error : text.slice(0, 200)
}

/**
 * If nothing listens at the address, returns advice to start a daemon or to name its address. Empty for other
 * errors.
 */
function hintOf({ cause }: { readonly cause?: unknown }): string {
  const isRefused = (cause as { readonly code?: unknown } | undefined)?.code === 'ECONNREFUSED'
  return isRefused
    ? '; start one with `bft-scan-proxy serve`, or name its operations address with --operations'
    : ''
}

function causeOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown }
  if (!(cause instanceof Error) || cause.message === '') return String(cause)
  return cause.message === 'bad port' ? 'HTTP clients never ask this port' : cause.message
}
