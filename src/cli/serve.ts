import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { LoadConfigOptions, LoadedConfig } from '../base/config/load.ts'
import { type RunningConfig, reload } from '../base/config/reload.ts'
import { collectGarbage } from '../base/lib/collect-garbage.ts'
import { valueAt } from '../base/lib/value-at.ts'
import { version } from '../base/lib/version.ts'
import { fatalLine } from '../base/telemetry/logger.ts'
import { type Daemon, startDaemon } from '../daemon.ts'
import { KeyFileProblem } from '../receipts/key-files.ts'
import { exitCodes } from './exit-codes.ts'
import { listeningOptions } from './listening.ts'
import { type Print, tellConfig } from './print.ts'
import { readConfig } from './read-config.ts'
import { setRuntimeFlags } from './runtime-flags.ts'
import { stopSignal } from './stop-signal.ts'

const message = 'bft-scan-proxy cannot start'

/** Runs the daemon until SIGTERM or SIGINT. SIGHUP reloads its configuration. */
export async function serve(print: Print, options: LoadConfigOptions = {}): Promise<number> {
  const load = () => readConfig(options)
  const stop = stopSignal()
  const loaded = load()
  if (!loaded.ok) {
    const format = logFormat(valueAt(loaded.written, ['log', 'format']))
    tellFailedStart(print, { ...loaded, at: 'configuration' }, format)
    return exitCodes.badConfig
  }
  const { files: configurationFiles, warnings: configurationWarnings } = loaded
  const { name: networkName } = loaded.network
  const overrides = { processMetrics: true, configurationFiles, configurationWarnings, networkName }
  const started = startDaemon(loaded.config, overrides)
  reloadAtSignal(loaded, { daemon: started, load })
  try {
    // A start may take as long as the slowest seed.
    const first = await Promise.race([started, stop])
    if (typeof first === 'string') return exitCodes.ok
    await using daemon = first
    setRuntimeFlags()
    // The start left some 10 MiB of garbage: an idle daemon allocates too little for V8 to collect it.
    collectGarbage()
    await daemon.stop(await stop)
    return exitCodes.ok
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isKeyFile = error instanceof KeyFileProblem
    const problem = isKeyFile ? `receipts.keyFile: ${why}` : `${why}${listeningOptions(error, loaded.config)}`
    const at = isKeyFile ? 'configuration' : 'start'
    tellFailedStart(print, { at, problems: [problem] }, logFormat(loaded.config.log.format))
    return isKeyFile ? exitCodes.badConfig : exitCodes.failed
  }
}

/**
 * Makes SIGHUP reload the configuration. A SIGHUP that was sent because the terminal was closed
 * ends the process instead, as it does by default.
 */
function reloadAtSignal(
  running: RunningConfig,
  { daemon, load }: { readonly daemon: Promise<Daemon>; readonly load: () => LoadedConfig },
): void {
  let now = running
  let told = running.warnings
  let last: Promise<void> = Promise.resolve()
  const hadTerminal = isatty(1)
  const takeUp = async (started: Daemon) => {
    const { events } = started
    const next = load()
    const reloaded = reload(now, next)
    if (reloaded.kind === 'kept') return events.configurationKept(reloaded.problems)
    const problems = started.reloadProblems(reloaded.running.config)
    if (problems.length > 0) return events.configurationKept(problems)
    now = reloaded.running
    const warnings = next.warnings.filter((warning) => !told.includes(warning))
    told = next.warnings
    await started.reload(now.config, { ...reloaded, warnings, overridden: next.overridden })
  }
  const atSignal = () => {
    if (hadTerminal && isTerminalGone()) {
      process.removeAllListeners('SIGHUP')
      process.kill(process.pid, 'SIGHUP')
      return
    }
    last = Promise.all([daemon, last]).then(
      ([started]) => takeUp(started),
      () => {
        // The daemon failed to start. The process is about to end, so nothing is reloaded.
      },
    )
  }
  process.on('SIGHUP', atSignal)
}

function isTerminalGone(): boolean {
  try {
    writeSync(1, '')
    return !isatty(1)
  } catch {
    return true
  }
}

type LogFormat = 'json' | 'pretty'

interface FailedStart {
  readonly at: 'configuration' | 'start'
  readonly problems: readonly string[]
  readonly warnings?: readonly string[]
}

/**
 * An invalid value counts as not configured, because this function also runs when the configuration
 * is wrong.
 */
function logFormat(configured: unknown): LogFormat {
  if (configured === 'json' || configured === 'pretty') return configured
  return isatty(1) ? 'pretty' : 'json'
}

function tellFailedStart(
  print: Print,
  { at, problems, warnings = [] }: FailedStart,
  format: LogFormat,
): void {
  if (format === 'pretty') {
    const told = at === 'start' ? problems.map((problem) => `${message}: ${problem}`) : problems
    return tellConfig(print, { warnings, problems: told })
  }
  const fields = { problems, ...(warnings.length > 0 && { warnings }) }
  print.err(fatalLine(fields, message, version))
}
