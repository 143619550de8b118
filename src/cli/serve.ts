import { loadConfig } from '../config/load.ts'
import { startDaemon } from '../daemon.ts'
import { exitCodes, type Print } from './print.ts'
import { freeWhatStartLeft, setRuntimeFlags } from './runtime-flags.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs the daemon until SIGTERM or SIGINT. */
export async function serve(_args: readonly string[], print: Print): Promise<number> {
  const loaded = loadConfig()
  for (const warning of loaded.warnings) print.err(`warning: ${warning}`)
  if (!loaded.ok) {
    for (const problem of loaded.problems) print.err(problem)
    return exitCodes.badConfig
  }
  const stop = stopSignal()
  try {
    await using _daemon = await startDaemon(loaded.config, { processMetrics: true })
    setRuntimeFlags()
    freeWhatStartLeft()
    await stop
    return exitCodes.ok
  } catch (error) {
    print.err(`bft-scan-proxy cannot start: ${error instanceof Error ? error.message : String(error)}`)
    return exitCodes.failed
  }
}
