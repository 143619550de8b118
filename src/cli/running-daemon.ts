import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { milliseconds, systemClock } from '../lib/clock.ts'
import type { Count } from '../quorum/threshold.ts'
import type { Case, Statement } from '../scan/evidence-log.ts'
import type { SeedState } from '../scan/seed-results.ts'
import type { ReadCounts } from '../telemetry/recent-reads.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, tellConfig } from './print.ts'

/** The parts of the daemon's `/status` that commands show. */
export interface DaemonStatus {
  readonly version: string
  readonly network: string
  readonly mode: string
  readonly ready: boolean
  readonly uptimeSeconds: number
  /** Whether liars cannot make up answers. Null without a roster. */
  readonly protected: boolean | null
  readonly waitingFor?: string
  readonly warning?: string
  /** The last reply of each seed. Daemons of earlier versions do not send it. */
  readonly seeds?: readonly Pick<SeedState, 'outcome'>[]
  readonly roster: DaemonRoster | null
  readonly thresholds: {
    readonly general: { readonly superValidators: Count; readonly operators?: Count }
  } | null
  /**
   * Counts the reads of the last minutes that had to ask super validators. Daemons of earlier versions do not send
   * it.
   */
  readonly reads?: ReadCounts
  readonly cache: {
    readonly memory: { readonly values: number; readonly absences: number; readonly maxBytes: number }
    readonly redis: string
  }
  /** Daemons of earlier versions do not send it. */
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
   * The level at which the mirror answers now. It is below `wanted`, the configured level, if the mirror is
   * degraded.
   */
  readonly level: string
  readonly wanted: string
  /** Why the file does not keep the mirror. Daemons of earlier versions do not send it. */
  readonly unkeptBecause?: string | null
  /** The time of the mirrored names, ISO 8601. This and the next member are absent if the daemon has no mirror. */
  readonly asOf?: string | null
  readonly degradedBecause?: string | null
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
  /** True if an operator of the daemon has set this super validator aside. */
  readonly cordoned?: boolean
  readonly pause: { readonly why: string; readonly until: string } | null
}

/** A case of `/evidence`. Its statements refer to their bodies by digest. */
export type EvidenceCase = Omit<Case, 'statements'> & {
  readonly statements: readonly Omit<Statement, 'body'>[]
}

export interface DaemonEvidence {
  /** The cases. The newest one is first. */
  readonly cases: readonly EvidenceCase[]
  /** The bodies to which the statements of cases refer, by digest. */
  readonly bodies: Readonly<Record<string, string>>
}

/** Thrown if no daemon answers, or if another program does. The message is a sentence that says so. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon'
}

const patienceMs = milliseconds('10s')

/**
 * Sends requests to a running daemon at its operations address. The methods reject with `NoDaemon` if the daemon
 * does not answer with success.
 */
export class RunningDaemon {
  /** The base URL of the operations address. It does not end in a slash. */
  readonly url: string
  readonly #stop: AbortSignal | undefined

  /** @param stop ends requests that are under way. */
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

  /** Sends an admin request that removes something. */
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
      throw new NoDaemon(`${this.url} answers ${response.status}: ${reasonIn(text)}`)
    } catch (error) {
      if (error instanceof NoDaemon) throw error
      throw new NoDaemon(`no daemon answers at ${this.url}: ${causeOf(error)}`, { cause: error })
    } finally {
      cancel()
    }
  }
}

/** Returns the URL at which this machine reaches the operations address of a daemon with this configuration. */
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
 * Returns the daemon at the given or configured operations address.
 * @param given the text of `--operations`.
 * @param stop ends requests that are under way.
 * @returns the exit code if the configuration or the text is bad; the reason is then already printed.
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
 * @param given the text of `--operations`.
 * @param stop ends requests that are under way.
 * @returns the exit code if the text is bad; the reason is then already printed.
 */
export function daemonAt(given: string, print: Print, stop?: AbortSignal): RunningDaemon | number {
  const url = URL.parse(given.includes('://') ? given : `http://${given}`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '')
    return new RunningDaemon(`${url.origin}${url.pathname}`.replace(/\/+$/, ''), stop)
  return misused(print, `--operations must be an http or https URL without credentials, not ${given}`)
}

/**
 * Finds the given or configured daemon and passes it to `asks`, which returns the exit code. If no daemon answers,
 * prints that, with `json` as one line of JSON.
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
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

function reasonIn(text: string): string {
  const { error } = objectIn(text) as { readonly error?: unknown }
  return typeof error === 'string' ? error : text.slice(0, 200)
}

function causeOf(error: unknown): string {
  const { cause = error } = error as { readonly cause?: unknown }
  if (!(cause instanceof Error) || cause.message === '') return String(cause)
  return cause.message === 'bad port' ? 'HTTP clients never ask this port' : cause.message
}
