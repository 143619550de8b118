import type { LoadConfigOptions } from '../base/config/load.ts'
import type { Config } from '../base/config/resolve.ts'
import { milliseconds, systemClock } from '../base/lib/clock.ts'
import { tryJsonText } from '../base/lib/parse-json-text.ts'
import { withoutTrailing } from '../base/lib/without-trailing.ts'
import { boundedBody } from '../client/bounded-body.ts'
import type { statusOf } from '../server/http/daemon-status.ts'
import type { evidenceOf } from '../server/http/evidence.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { toldConfig } from './read-config.ts'

export type DaemonStatus = ReturnType<typeof statusOf>
export type DaemonEvidence = ReturnType<typeof evidenceOf>

/**
 * No daemon answers at the address, or the daemon answers with an error. The message is a sentence
 * for the user.
 */
export class NoDaemon extends Error {
  override readonly name = 'NoDaemon'
}

/**
 * The operations address of every daemon has the paths that commands request. So a URL that answers
 * 404 is probably the daemon's public address.
 */
const publicAddressHint =
  '; this may be the public address of a daemon (http.port), and --operations needs its operations address (operations.port, by default 9464)'

const patienceMs = milliseconds('10s')
/** Twice as many bytes as a daemon keeps evidence by default. */
const longestAnswer = 134_217_728

/**
 * The methods reject with `NoDaemon` if no response arrives within 10 s, or if its status is not
 * 2xx.
 */
export class RunningDaemon {
  readonly url: string
  readonly #stop: AbortSignal | undefined

  constructor(url: string, stop?: AbortSignal) {
    this.url = url
    this.#stop = stop
  }

  async status(): Promise<DaemonStatus> {
    const status = (await this.#get('/status')) as Partial<DaemonStatus>
    if (typeof status.version === 'string' && status.cache !== undefined) return status as DaemonStatus
    throw this.#noDaemon()
  }

  async evidence(query: Readonly<Record<string, string>> = {}): Promise<DaemonEvidence> {
    const evidence = (await this.#get(`/evidence?${new URLSearchParams(query)}`)) as Partial<DaemonEvidence>
    if (Array.isArray(evidence.cases)) return evidence as DaemonEvidence
    throw this.#noDaemon()
  }

  async endFloor(path: string): Promise<void> {
    const { ended } = (await this.#get(`/admin/floors/${path}`, 'DELETE')) as { readonly ended?: unknown }
    if (ended !== true) throw this.#noDaemon()
  }

  #noDaemon(): NoDaemon {
    return new NoDaemon(`${this.url} is no operations address of bft-scan-proxy`)
  }

  async #get(path: string, method = 'GET'): Promise<object> {
    const source = new AbortController()
    const cancel = systemClock.after(patienceMs, () => source.abort(new Error('it took too long')))
    const signal = this.#stop === undefined ? source.signal : AbortSignal.any([source.signal, this.#stop])
    try {
      const response = await fetch(`${this.url}${path}`, { method, signal, redirect: 'error' })
      const bound = { base: this.url, most: longestAnswer }
      const text = new TextDecoder().decode(await boundedBody(response, bound))
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

export function operationsUrl({ operations }: Pick<Config, 'operations'>): string {
  return urlOf(operations)
}

export function httpUrl({ http }: Pick<Config, 'http'>): string {
  return urlOf(http)
}

function urlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

/**
 * Returns the daemon at `--operations` or at the configured address. Returns the exit code if the
 * configuration or the value is bad: the reason is then already printed.
 */
function runningDaemonOf(
  given: string | undefined,
  print: Print,
  options: LoadConfigOptions,
  stop?: AbortSignal,
): RunningDaemon | number {
  if (given !== undefined) return daemonAt(given, print, stop)
  const config = toldConfig(print, options)
  return config === undefined ? exitCodes.badConfig : new RunningDaemon(operationsUrl(config), stop)
}

export function daemonAt(given: string, print: Print, stop?: AbortSignal): RunningDaemon | number {
  const url = URL.parse(given.includes('://') ? given : `http://${given}`)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '')
    return new RunningDaemon(withoutTrailing('/', `${url.origin}${url.pathname}`), stop)
  return misused(print, `--operations must be an http or https URL without credentials, not ${given}`)
}

/**
 * Resolves with the exit code of `asks`. If the daemon cannot be asked, prints the reason, with
 * `json` as one line of JSON. After `stop`, nothing is printed.
 */
export async function askDaemon(
  {
    operations,
    json,
    stop,
  }: { readonly operations: string | undefined; readonly json: boolean; readonly stop?: AbortSignal },
  print: Print,
  options: LoadConfigOptions,
  asks: (daemon: RunningDaemon) => Promise<number>,
): Promise<number> {
  const daemon = runningDaemonOf(operations, print, options, stop)
  if (typeof daemon === 'number') return daemon
  try {
    return await asks(daemon)
  } catch (thrown) {
    if (stop?.aborted) return exitCodes.ok
    const error = readProblem(daemon, thrown)
    if (error === undefined) throw thrown
    if (json) printJson(print, { kind: 'error', error: error.message })
    else print.err(error.message)
    return exitCodes.unavailable
  }
}

/**
 * Returns the error to tell if a daemon cannot be asked, or if its answer cannot be shown because a
 * value in it is of another type than in the answers of this release.
 */
function readProblem({ url }: RunningDaemon, thrown: unknown): NoDaemon | undefined {
  if (thrown instanceof NoDaemon) return thrown
  if (!(thrown instanceof TypeError || thrown instanceof RangeError)) return undefined
  const why = `${url} gives an answer that this release cannot read: ${thrown.message}`
  return new NoDaemon(why, { cause: thrown })
}

function objectIn(text: string): object {
  const parsed = tryJsonText(text)
  return typeof parsed === 'object' && parsed !== null ? parsed : {}
}

function reasonIn(text: string): string {
  const { error } = objectIn(text) as { readonly error?: unknown }
  return typeof error === 'string' ? error : text.slice(0, 200)
}

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
