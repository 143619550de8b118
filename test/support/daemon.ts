import { type Daemon, type Overrides, startDaemon } from '../../src/daemon.ts'
import type { FaultKind, Faults } from '../../src/localnet/faults.ts'
import type { WorldLocalnet } from '../../src/localnet/localnet.ts'
import type { ReadId } from '../../src/localnet/reads.ts'
import { configOf, written } from '../config/config.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type ParsedFamily, parseExposition, sampleValue } from '../telemetry/exposition-text.ts'
import { logLines } from '../telemetry/log-lines.ts'
import { eventually } from './eventually.ts'
import { ManualClock } from './manual-clock.ts'

type Settings = Readonly<Record<string, unknown>>

export interface StageOptions {
  readonly superValidators?: number
  /** Over what every stage has: `{ 'scanClient.threshold': '2f+1' }`. */
  readonly config?: Settings
  readonly overrides?: Overrides
}

/** A daemon on free ports of loopback, and its callers. */
export interface Running<Time = ManualClock> extends AsyncDisposable {
  readonly daemon: Daemon
  /** Time moves only when a test advances it; undefined where the daemon has the machine's own. */
  readonly clock: Time
  /** Asks the public API; `path` goes out as it stands. */
  get(path: string, options?: AskOptions): Promise<Heard>
  /** Asks the operations address. */
  operations(path: string, options?: AskOptions): Promise<Heard>
  metrics(): Promise<MetricsNow>
  /** The JSON of `/status` or `/evidence`. */
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what tests are about
  report(path: '/status' | '/evidence'): Promise<any>
  /** Lines that the daemon logged. */
  lines(): readonly Record<string, unknown>[]
}

/** A daemon on a localnet of its own. */
export interface Stage<Time = ManualClock> extends Running<Time> {
  readonly localnet: WorldLocalnet
  /** Names of the super validators: `sv-1`, ... */
  readonly names: readonly string[]
  /** Sets one fault on these nodes, or heals them. */
  fault(names: readonly string[], fault: Faults | FaultKind | undefined): Promise<void>
  /** Asks that nodes got, for one read or for all. */
  asks(read?: ReadId): number
}

export interface MetricsNow {
  readonly families: ReadonlyMap<string, ParsedFamily>
  /** 0 where there is no such sample. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
}

/** A daemon and a localnet on one hand-driven clock. */
export function startStage(options: StageOptions = {}): Promise<Stage> {
  return stageOn(new ManualClock(), options)
}

/** The same on the machine's own clock, for what has to take real time. */
export function startLiveStage(options: StageOptions = {}): Promise<Stage<undefined>> {
  return stageOn(undefined, options)
}

/** A daemon with a localnet on the embedded ledger, on the machine's own clock. */
export function startEmbedded(config: Settings = {}, overrides: Overrides = {}): Promise<Running<undefined>> {
  return run(undefined, config, overrides)
}

/** A daemon on a hand-driven clock that asks these scans as those of a real network, plain http on loopback though. */
export function startRemote(
  seedUrls: readonly string[],
  config: Settings = {},
  { clock = new ManualClock(), ...overrides }: Overrides & { readonly clock?: ManualClock } = {},
): Promise<Running> {
  return run(clock, { ...remoteOf(seedUrls), ...config }, overrides)
}

/** The same on the machine's own clock. */
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

/** Lets time pass a second at a time, with room for what each brings about. */
export async function advanceBy(stage: Pick<Running, 'clock' | 'metrics'>, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    stage.clock.advance(1_000)
    await eventually(async () => (await stage.metrics()).value('scan_proxy_in_flight_asks') === 0)
  }
}

async function stageOn<Time extends ManualClock | undefined>(
  clock: Time,
  { superValidators = 4, config = {}, overrides = {} }: StageOptions,
): Promise<Stage<Time>> {
  const local = { network: 'localnet', 'ledger.driver': 'none', 'localnet.superValidators': superValidators }
  const running = await run(clock, { ...local, ...config }, overrides)
  const { localnet } = running.daemon
  if (localnet?.world === undefined) throw new Error('a stage has a localnet with a world')
  const names = localnet.superValidators.map(({ name }) => name)
  // The last stragglers of the start are heard before a test sets a fault that they would meet.
  await eventually(async () => (await running.metrics()).value('scan_proxy_in_flight_asks') === 0)
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
  const ports = { 'http.port': 0, 'operations.port': 0 }
  // An audit is drawn by chance.
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
  const families = parseExposition(text)
  return { families, value: (name, labels) => sampleValue(families, name, labels) ?? 0 }
}
