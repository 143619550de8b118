import { setImmediate } from 'node:timers/promises'
import type { Config } from '../../src/base/config/resolve.ts'
import type { Clock } from '../../src/base/lib/clock.ts'
import { seededRandom } from '../../src/base/lib/random.ts'
import { createEvents } from '../../src/base/telemetry/events.ts'
import type { Gauge } from '../../src/base/telemetry/instruments.ts'
import { createMetrics, type Metrics } from '../../src/base/telemetry/metrics.ts'
import { readIds } from '../../src/core/reads/endpoints.ts'
import { openReadPath, type ReadPath } from '../../src/core/scan/open.ts'
import { type OpenMirror, openMirror } from '../../src/mirror/open.ts'
import { configOf, written } from '../config/config.ts'
import { asTimePasses, eventually } from '../support/eventually.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import { logLines } from '../telemetry/log-lines.ts'
import { maxLagMs } from './day-audit.ts'

/** The clock of the daemon's machine. A test can make it wrong. The clock of the network is always right. */
export class OwnClock implements Clock {
  readonly #network: ManualClock
  #behindMs = 0
  /** By how much more this clock is behind in each millisecond since `#setAt`. */
  #drift = 0
  #setAt = 0
  #sleptMs = 0
  #fellAsleepAt: number | undefined
  #onWake: (() => void)[] = []

  constructor(network: ManualClock) {
    this.#network = network
  }

  now(): number {
    return (this.#fellAsleepAt ?? this.#network.now()) - this.#sleptMs
  }

  wall(): number {
    return this.#network.wall() - this.behindMs
  }

  /** The milliseconds by which this clock is behind; negative if it is ahead. */
  get behindMs(): number {
    return this.#behindMs + this.#drift * (this.#network.wall() - this.#setAt)
  }

  set(behindMs: number, drift = 0): void {
    this.#behindMs = behindMs
    this.#drift = drift
    this.#setAt = this.#network.wall()
  }

  after(ms: number, run: () => void): () => void {
    const at = this.now() + ms
    let cancel = () => {}
    let isCancelled = false
    const arm = () => {
      if (isCancelled) return
      cancel = this.#network.after(Math.max(0, at - this.now()), () => {
        if (this.#fellAsleepAt === undefined) run()
        else this.#onWake.push(arm)
      })
    }
    arm()
    return () => {
      isCancelled = true
      cancel()
    }
  }

  /** The network goes on, while the monotonic clock and the timers of this machine stand still. */
  sleep(ms: number): void {
    this.#fellAsleepAt = this.#network.now()
    this.#network.advance(ms)
    this.#fellAsleepAt = undefined
    this.#sleptMs += ms
    for (const arm of this.#onWake.splice(0)) arm()
  }
}

export interface DayDaemonOptions {
  readonly seed: number
  readonly level: 'bindings' | 'stream'
  readonly file: string
  readonly guardFile: string
  readonly rosterFile: string
  readonly urls: readonly string[]
  readonly voters: readonly string[]
  readonly threshold: string
}

function configured({
  level,
  file,
  guardFile,
  rosterFile,
  urls,
  voters,
  threshold,
}: DayDaemonOptions): Config {
  return configOf(
    written({
      network: 'remote',
      'scanClient.scanType': 'bft-custom',
      'scanClient.seedUrls': urls,
      'scanClient.svNames': voters,
      'scanClient.threshold': threshold,
      'scanClient.rosterFile': rosterFile,
      'scanClient.allowHttp': true,
      'scanClient.allowPrivate': true,
      'scanClient.minimumVoters': 1,
      'scanClient.asksPerSecond': 'none',
      'scanClient.registryAsksPerMinute': 'none',
      'scanClient.auditShare': 0,
      'mirror.level': level,
      'mirror.file': file,
      'guard.file': guardFile,
      'evidence.questions': true,
      'mirror.spotCheckInterval': '3m',
      ...(level === 'stream' && { 'mirror.pollInterval': '30s', 'mirror.maxLag': `${maxLagMs}ms` }),
    }),
  )
}

interface Made extends Pick<DayDaemon, 'path' | 'mirror' | 'lines'> {
  readonly inFlight: () => number
}

/** A daemon without its HTTP servers: the read path with the mirror. */
export class DayDaemon implements AsyncDisposable {
  readonly path: ReadPath
  readonly mirror: OpenMirror
  readonly lines: () => readonly Record<string, unknown>[]
  readonly #options: DayDaemonOptions
  readonly #clock: ManualClock
  readonly #inFlight: () => number

  private constructor(
    options: DayDaemonOptions,
    clock: ManualClock,
    { path, mirror, lines, inFlight }: Made,
  ) {
    this.path = path
    this.mirror = mirror
    this.lines = lines
    this.#options = options
    this.#clock = clock
    this.#inFlight = inFlight
  }

  static async start(options: DayDaemonOptions, network: ManualClock, clock: OwnClock): Promise<DayDaemon> {
    const made = createMetrics({ version: '0.0.0', reads: readIds })
    let inFlight = () => 0
    const gauge = {
      readFrom: (read: () => number) => {
        inFlight = read
      },
    } as unknown as Gauge
    const metrics: Metrics = { ...made, in_flight_asks: gauge }
    const log = logLines()
    const events = createEvents({ metrics: made, logger: log.logger, clock })
    const config = configured(options)
    const base = { events, metrics, clock, realClock: clock, random: seededRandom(options.seed) }
    const path = await openReadPath(config, base)
    const mirror = await openMirror(config, { ...base, scan: path })
    const parts = { path, mirror, inFlight: () => inFlight(), lines: log.lines }
    const daemon = new DayDaemon(options, network, parts)
    await asTimePasses(network, path.discovery.start())
    mirror.start()
    await daemon.settle()
    return daemon
  }

  reload(change: Partial<Pick<DayDaemonOptions, 'voters' | 'threshold'>>): void {
    this.path.discovery.reload(configured({ ...this.#options, ...change }))
  }

  /**
   * Resolves when no request to a super validator is in progress. If requests stay in progress for long, moves the
   * clock until they time out.
   */
  async settle(): Promise<void> {
    for (let quiet = 0, looks = 0; quiet < 2; looks++) {
      await setImmediate()
      quiet = this.#inFlight() === 0 ? quiet + 1 : 0
      if (looks < 400) continue
      await asTimePasses(
        this.#clock,
        eventually(() => this.#inFlight() === 0),
      )
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await asTimePasses(this.#clock, this.mirror[Symbol.asyncDispose]() as Promise<void>)
    await asTimePasses(this.#clock, this.path[Symbol.asyncDispose]() as Promise<void>)
  }
}
