import { type LoadConfigOptions, loadConfig } from '../config/load.ts'
import type { Config } from '../config/resolve.ts'
import { optionAt } from '../config/rows.ts'
import { valueAt } from '../config/tree.ts'
import { startDaemon } from '../daemon.ts'
import { KeyFileProblem } from '../receipts/key-files.ts'
import { exitCodes } from './exit-codes.ts'
import { logFormat, tellFailedStart } from './failed-start.ts'
import type { Print } from './print.ts'
import { reloadAtSignal } from './reload-signal.ts'
import { freeWhatStartLeft, setRuntimeFlags } from './runtime-flags.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs the daemon until SIGTERM or SIGINT. SIGHUP reloads its configuration. */
export async function serve(print: Print, options: LoadConfigOptions = {}): Promise<number> {
  const load = () => loadConfig(options)
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
    freeWhatStartLeft()
    await daemon.stop(await stop)
    return exitCodes.ok
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const isKeyFile = error instanceof KeyFileProblem
    const problem = isKeyFile ? `receipts.keyFile: ${why}` : `${why}${portOptions(error, loaded.config)}`
    const at = isKeyFile ? 'configuration' : 'start'
    tellFailedStart(print, { at, problems: [problem] }, logFormat(loaded.config.log.format))
    return isKeyFile ? exitCodes.badConfig : exitCodes.failed
  }
}

/**
 * If the daemon cannot listen, returns a clause that names the option to change: `; operations.port
 * (OPERATIONS_PORT) sets this port`.
 */
function portOptions(error: unknown, config: ListeningConfig): string {
  const { code, syscall, port } = error as Readonly<Record<'code' | 'syscall' | 'port', unknown>>
  if (syscall !== 'listen' || typeof port !== 'number') return ''
  const isNoAddress = code === 'EADDRNOTAVAIL'
  const paths = isNoAddress ? hostsOf(config, port) : portsOf(config, port)
  const names = paths.map((path) => `${path.join('.')} (${optionAt(path)?.env})`)
  return names.length === 0
    ? ''
    : `; ${names.join(' and ')} ${names.length === 1 ? 'sets' : 'set'} this ${isNoAddress ? 'address' : 'port'}`
}

type ListeningConfig = Pick<Config, 'network' | 'http' | 'operations' | 'localnet'>

function hostsOf(config: ListeningConfig, port: number): readonly (readonly string[])[] {
  return (['http', 'operations'] as const)
    .filter((section) => config[section].port === port)
    .map((section) => [section, 'host'])
}

function portsOf(config: ListeningConfig, port: number): readonly (readonly string[])[] {
  const { http, operations, localnet, network } = config
  const isOfNode =
    localnet.port !== 0 && port >= localnet.port && port < localnet.port + localnet.superValidators
  return [
    ...(http.port === port ? [['http', 'port']] : []),
    ...(operations.port === port ? [['operations', 'port']] : []),
    ...(network === 'localnet' && isOfNode ? [['localnet', 'port']] : []),
    ...(network === 'localnet' && localnet.controlPort === port ? [['localnet', 'controlPort']] : []),
  ]
}
