import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { optionAt } from '../config/rows.ts'
import { startDaemon } from '../daemon.ts'
import { exitCodes, type Print } from './print.ts'
import { reloadAtSignal } from './reload-signal.ts'
import { freeWhatStartLeft, setRuntimeFlags } from './runtime-flags.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs the daemon until SIGTERM or SIGINT. SIGHUP reloads its configuration. */
export async function serve(print: Print, options: LoadConfigOptions = {}): Promise<number> {
  const load = () => loadConfig(options)
  const loaded = load()
  for (const warning of loaded.warnings) print.err(`warning: ${warning}`)
  if (!loaded.ok) {
    for (const problem of loaded.problems) print.err(problem)
    return exitCodes.badConfig
  }
  const stop = stopSignal()
  const started = startDaemon(loaded.config, { processMetrics: true })
  reloadAtSignal(loaded, { daemon: started, load })
  try {
    await using daemon = await started
    setRuntimeFlags()
    freeWhatStartLeft()
    await daemon.stop(await stop)
    return exitCodes.ok
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    print.err(`bft-scan-proxy cannot start: ${why}${portOptions(error, loaded.config)}`)
    return exitCodes.failed
  }
}

/** Names the options that set the port which cannot be bound: `; operations.port (OPERATIONS_PORT) sets this port`. */
function portOptions(error: unknown, config: Pick<Config, 'http' | 'operations'>): string {
  const { syscall, port } = error as { readonly syscall?: unknown; readonly port?: unknown }
  if (syscall !== 'listen') return ''
  const names = (['http', 'operations'] as const)
    .filter((section) => config[section].port === port)
    .map((section) => `${section}.port (${optionAt([section, 'port'])?.env})`)
  return names.length === 0 ? '' : `; ${names.join(' and ')} ${names.length === 1 ? 'sets' : 'set'} this port`
}
