import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { milliseconds, systemClock } from '../lib/clock.ts'
import type { Count } from '../quorum/threshold.ts'
import type { Case, Statement } from '../scan/evidence-log.ts'
import type { SeedState } from '../scan/seed-results.ts'
import type { ReadCounts } from '../telemetry/recent-reads.ts'
import { exitCodes, misused, type Print, tellConfig } from './print.ts'

/** The parts of `/status` that commands show. */
export interface DaemonStatus {
  readonly version: string
  readonly network: string
  readonly mode: string
  readonly ready: boolean
  readonly uptimeSeconds: number
  /** Null without a roster. */
  readonly protected: boolean | null
  readonly waitingFor?: string
  readonly warning?: string
  /** The last reply of each seed. Daemons of earlier versions do not send it. */
  readonly seeds?: readonly Pick<SeedState, 'outcome'>[]
  readonly roster: DaemonRoster | null
  readonly thresholds: {
    readonly general: { readonly superValidators: Count; readonly operators?: Count }
  } | null
  /** The reads of the last minutes that no cache answered. Daemons of earlier versions do not send them. */
  readonly reads?: ReadCounts
  readonly cache: {
    readonly memory: { readonly values: number; readonly absences: number; readonly maxBytes: number }
    readonly redis: string
  }
  readonly ledger: {
    readonly driver: string
    readonly kept?: string
    readonly url?: string
    readonly writesStopped?: string
  }
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
  /** True if an operator of the daemon has set it aside. */
  readonly cordoned?: boolean
  readonly pause: { readonly why: string; readonly until: string } | null
}

/** A case of `/evidence`. Its statements name their bodies by digest. */
export type EvidenceCase = Omit<Case, 'statements'> & {
  readonly statements: readonly Omit<Statement, 'body'>[]
}

export interface DaemonEvidence {
  /** Newest first. */
  readonly cases: readonly EvidenceCase[]
  /** Bodies by digest. */
  readonly bodies: Readonly<Record<string, string>>
}

/** No daemon answers, or something else does. The message says so in one sentence. */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon'
}

const patienceMs = milliseconds('10s')

/** A running daemon, at its operations address. Its methods throw `NoDaemon`. */
export class RunningDaemon {
  /** Without a slash at its end. */
  readonly url: string
  readonly #stop: AbortSignal | undefined

  /** @param stop cuts requests. */
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

  /** Makes an admin call that removes something. */
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

/** The operations address that a daemon with this configuration listens on, as seen from this machine. */
export function operationsUrl({ operations: { host, port } }: Pick<Config, 'operations'>): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

/**
 * Returns the daemon at the given or configured operations address.
 * @param given the text of `--operations`.
 * @param stop cuts requests.
 * @returns the exit code if there is none; the reason is already printed.
 */
export function runningDaemonOf(
  given: string | undefined,
  print: Print,
  options: LoadConfigOptions,
  stop?: AbortSignal,
): RunningDaemon | number {
  if (given !== undefined) {
    const url = URL.parse(given.includes('://') ? given : `http://${given}`)
    if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '')
      return new RunningDaemon(`${url.origin}${url.pathname}`.replace(/\/+$/, ''), stop)
    return misused(print, `--operations must be an http or https URL without credentials, not ${given}`)
  }
  const loaded = loadConfig(options)
  tellConfig(print, loaded)
  return loaded.ok ? new RunningDaemon(operationsUrl(loaded.config), stop) : exitCodes.badConfig
}

/**
 * Asks the given or configured daemon. If none answers, prints so: as one line of JSON where that is wanted.
 * @returns the exit code.
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
