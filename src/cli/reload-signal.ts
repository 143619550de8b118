import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import type { LoadedConfig } from '../base/config/load.ts'
import { type RunningConfig, reload } from '../base/config/reload.ts'
import type { Daemon } from '../daemon.ts'

/**
 * Makes SIGHUP reload the configuration. A SIGHUP that was sent because the terminal was closed
 * ends the process instead, as it does by default.
 */
export function reloadAtSignal(
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
