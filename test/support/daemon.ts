import { setImmediate } from 'node:timers/promises'
import { type Daemon, type Overrides, startDaemon } from '../../src/daemon.ts'
import type { Faults, NodeFaultKind } from '../../src/localnet/faults.ts'
import type { WorldLocalnet } from '../../src/localnet/localnet.ts'
import type { ReadId } from '../../src/localnet/reads.ts'
import type { MirrorStatus } from '../../src/mirror/mirror-status.ts'
import { configOf, written } from '../config/config.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type ParsedFamily, parseExposition, valueIn } from '../telemetry/exposition-text.ts'
import { logLines } from '../telemetry/log-lines.ts'
import { eventually } from './eventually.ts'
import { ManualClock } from './manual-clock.ts'

type Settings = Readonly<Record<string, unknown>>

const idleTurns = 20

export interface StageOptions {
  readonly superValidators?: number
  /**
   * Options of the daemon, such as `{ 'scanClient.threshold': '2f+1' }`. They override the options that every stage
   * sets.
   */
  readonly config?: Settings
  readonly overrides?: Overrides
}

export interface Running<Time = ManualClock> extends AsyncDisposable {
  readonly daemon: Daemon
  /** The clock that the test gave to the daemon. Undefined if the daemon uses the clock of the machine. */
  readonly clock: Time
  /** Sends a request to the public address. `path` is sent unchanged. */
  get(path: string, options?: AskOptions): Promise<Heard>
  operations(path: string, options?: AskOptions): Promise<Heard>
  metrics(): Promise<MetricsNow>
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content, whatever its type
  report(path: '/status' | '/evidence'): Promise<any>
  lines(): readonly Record<string, unknown>[]
}

export interface Stage<Time = ManualClock> extends Running<Time> {
  readonly localnet: WorldLocalnet
  /** The names of the super validators: `sv-1`, `sv-2` and so on. */
  readonly names: readonly string[]
  /** Sets a fault on the nodes with these names, or removes their faults if `fault` is undefined. */
  fault(names: readonly string[], fault: Faults | NodeFaultKind | undefined): Promise<void>
  /**
   * Returns how many requests for `read` the nodes have received. Without `read`, counts all requests but probes such
   * as `/version`.
   */
  asks(read?: ReadId): number
}

export interface MetricsNow {
  readonly families: ReadonlyMap<string, ParsedFamily>
  value(name: string, labels?: Readonly<Record<string, string>>): number
}

export function startStage(options: StageOptions = {}): Promise<Stage> {
  return stageOn(new ManualClock(), options)
}

export function startLiveStage(options: StageOptions = {}): Promise<Stage<undefined>> {
  return stageOn(undefined, options)
}

export function startEmbedded(config: Settings = {}, overrides: Overrides = {}): Promise<Running<undefined>> {
  return run(undefined, config, overrides)
}

/** Starts a daemon that asks these scans like those of a real network. */
export function startRemote(
  seedUrls: readonly string[],
  config: Settings = {},
  { clock = new ManualClock(), ...overrides }: Overrides & { readonly clock?: ManualClock } = {},
): Promise<Running> {
  return run(clock, { ...remoteOf(seedUrls), ...config }, overrides)
}

export function startLiveRemote(
  seedUrls: readonly string[],
  config: Settings = {},
  overrides: Overrides = {},
): Promise<Running<undefined>> {
  return run(undefined, { ...remoteOf(seedUrls), ...config }, overrides)
}

function remoteOf(seedUrls: readonly string[]): Settings {
  return {
    network: 'remote',
    'scanClient.seedUrls': seedUrls,
    'scanClient.allowHttp': true,
    'scanClient.allowPrivate': true,
    'scanClient.minimumVoters': 1,
    'scanClient.asksPerSecond': 'none',
    'scanClient.registryAsksPerMinute': 'none',
  }
}

/** Resolves when no scan has been asked for some turns of the event loop, in which everything due has begun. */
export function settled({ daemon }: Pick<Running<unknown>, 'daemon'>): Promise<void> {
  const { budgets } = daemon.scan
  return eventually(async () => {
    for (let turn = 0; turn < idleTurns; turn++) {
      await setImmediate()
      if (budgets.inFlight > 0) return false
    }
    return true
  })
}

export async function mirrorOf({ report }: Pick<Running, 'report'>): Promise<MirrorStatus> {
  return (await report('/status')).mirror
}

export async function advanceBy(stage: Pick<Running, 'clock' | 'daemon'>, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    stage.clock.advance(1_000)
    await settled(stage)
  }
}

async function stageOn<Time extends ManualClock | undefined>(
  clock: Time,
  { superValidators = 4, config = {}, overrides = {} }: StageOptions,
): Promise<Stage<Time>> {
  const local = { network: 'localnet', 'ledger.driver': 'none', 'localnet.superValidators': superValidators }
  const running = await run(clock, { ...local, ...config }, overrides)
  const localnet = running.daemon.localnet as WorldLocalnet
  const names = localnet.superValidators.map(({ name }) => name)
  // The daemon's first asks must have ended when the test begins. A fault that the test sets would otherwise hit them
  // too.
  await settled(running)
  return {
    ...running,
    localnet,
    names,
    async fault(faulty, fault) {
      const set = typeof fault === 'string' ? ({ kind: fault } as Faults) : fault
      for (const name of faulty) await localnet.setFault(name, set)
    },
    asks: (read) => names.reduce((sum, name) => sum + localnet.asks(name, read), 0),
  }
}

async function run<Time extends ManualClock | undefined>(
  clock: Time,
  settings: Settings,
  overrides: Overrides,
): Promise<Running<Time>> {
  const log = logLines()
  const ports = { 'http.port': 0, 'operations.port': 0, 'localnet.controlPort': 0 }
  // By default no read is audited, because random audits would make the number of asks unpredictable.
  const config = configOf(written({ ...ports, 'scanClient.auditShare': 0, ...settings }))
  const time = clock === undefined ? {} : { clock }
  const daemon = await startDaemon(config, { logger: log.logger, ...time, ...overrides })
  const operations = (path: string, options?: AskOptions) => ask(daemon.operations, path, options)
  return {
    daemon,
    clock,
    operations,
    get: (path, options) => ask(daemon.http, path, options),
    metrics: async () => metricsIn((await operations('/metrics')).text),
    report: async (path) => JSON.parse((await operations(path)).text),
    lines: log.lines,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

function metricsIn(text: string): MetricsNow {
  return {
    get families() {
      return parseExposition(text)
    },
    value: (name, labels) => valueIn(text, name, labels) ?? 0,
  }
}
