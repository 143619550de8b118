import { type Daemon, type Overrides, startDaemon } from '../../src/daemon.ts'
import type { FaultKind, Faults } from '../../src/localnet/faults.ts'
import type { Localnet } from '../../src/localnet/localnet.ts'
import type { ReadId } from '../../src/localnet/reads.ts'
import { configOf, written } from '../config/config.ts'
import { type AskOptions, ask, type Heard } from '../localnet/ask.ts'
import { type ParsedFamily, parseExposition, sampleValue } from '../telemetry/exposition-text.ts'
import { logLines } from '../telemetry/log-lines.ts'
import { ManualClock } from './manual-clock.ts'

export interface StageOptions {
  readonly superValidators?: number
  /** Over what every stage has: `{ 'scanClient.threshold': '2f+1' }`. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly overrides?: Overrides
}

/** A daemon on its own localnet, on free ports of loopback; its time moves only when a test advances it. */
export interface Stage<Time = ManualClock> extends AsyncDisposable {
  readonly daemon: Daemon
  readonly localnet: Localnet
  readonly clock: Time
  /** Names of the super validators: `sv-1`, ... */
  readonly names: readonly string[]
  /** Asks the public API; `path` goes out as it stands. */
  get(path: string, options?: AskOptions): Promise<Heard>
  /** Asks the operations address. */
  operations(path: string, options?: AskOptions): Promise<Heard>
  /** Sets one fault on these nodes, or heals them. */
  fault(names: readonly string[], fault: Faults | FaultKind | undefined): Promise<void>
  /** Asks that nodes got, for one read or for all. */
  asks(read?: ReadId): number
  metrics(): Promise<MetricsNow>
  status(): Promise<Record<string, unknown>>
  /** Lines that the daemon logged. */
  lines(): readonly Record<string, unknown>[]
}

export interface MetricsNow {
  readonly families: ReadonlyMap<string, ParsedFamily>
  /** 0 where there is no such sample. */
  value(name: string, labels?: Readonly<Record<string, string>>): number
}

/** A stage on a hand-driven clock. */
export function startStage(options: StageOptions = {}): Promise<Stage> {
  return stageOn(new ManualClock(), options)
}

/** A stage on the machine's own clock, for what has to take real time. */
export async function startLiveStage(options: StageOptions = {}): Promise<Stage<undefined>> {
  return stageOn(undefined, options)
}

async function stageOn<Time extends ManualClock | undefined>(
  clock: Time,
  { superValidators = 4, config = {}, overrides = {} }: StageOptions,
): Promise<Stage<Time>> {
  const log = logLines()
  const daemon = await startDaemon(
    configOf(
      written({
        network: 'localnet',
        'http.port': 0,
        'operations.port': 0,
        'localnet.superValidators': superValidators,
        ...config,
      }),
    ),
    { logger: log.logger, ...(clock === undefined ? {} : { clock }), ...overrides },
  )
  const { localnet } = daemon
  if (localnet === undefined) throw new Error('a stage has a localnet')
  const names = localnet.superValidators.map(({ name }) => name)
  const operations = (path: string, options?: AskOptions) => ask(daemon.operations, path, options)
  return {
    daemon,
    localnet,
    clock,
    names,
    operations,
    get: (path, options) => ask(daemon.http, path, options),
    async fault(faulty, fault) {
      const set = typeof fault === 'string' ? ({ kind: fault } as Faults) : fault
      for (const name of faulty) await localnet.setFault(name, set)
    },
    asks: (read) => names.reduce((sum, name) => sum + localnet.asks(name, read), 0),
    metrics: async () => metricsIn((await operations('/metrics')).text),
    status: async () => JSON.parse((await operations('/status')).text),
    lines: log.lines,
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  }
}

function metricsIn(text: string): MetricsNow {
  const families = parseExposition(text)
  return { families, value: (name, labels) => sampleValue(families, name, labels) ?? 0 }
}
