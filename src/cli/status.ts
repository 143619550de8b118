import type { LoadConfigOptions } from '../base/config/load.ts'
import { type Clock, milliseconds, systemClock } from '../base/lib/clock.ts'
import { passing } from '../base/lib/passing.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { type Print, printJson } from './print.ts'
import { askDaemon, type RunningDaemon } from './running-daemon.ts'
import { isQuorumReachable, statusLines } from './status-lines.ts'
import { stopSignal } from './stop-signal.ts'
import { fitted } from './text-width.ts'

type StatusArguments = Chosen<'operations' | 'json' | 'follow'>

export interface StatusDeps {
  readonly clock: Clock
  readonly stopped: () => Promise<unknown>
}

/** Polling this often is cheap: `/status` costs the daemon less than a read. */
const pauseMs = milliseconds('2s')

/**
 * Resolves with 0 if the daemon is ready, can reach a quorum, and does not reject ledger writes;
 * else with 69. With `follow`, asks again and again until a signal, and resolves with the exit code
 * of the last answer.
 */
export async function status(
  given: StatusArguments,
  print: Print,
  options: LoadConfigOptions = {},
  { clock, stopped }: StatusDeps = { clock: systemClock, stopped: stopSignal },
): Promise<number> {
  const stop = new AbortController()
  const ended = print.unread === undefined ? stop.signal : AbortSignal.any([stop.signal, print.unread])
  const show = (to: Print) =>
    askDaemon({ ...given, stop: ended }, to, options, (daemon) => shown(daemon, given, to))
  if (!given.follow) return show(print)
  void stopped().then(() => stop.abort())
  let code: number = exitCodes.ok
  while (!ended.aborted) {
    code = await (print.terminal === undefined || given.json ? show(print) : redrawn(print, show))
    if (code === exitCodes.usage || code === exitCodes.badConfig) break
    await passing(pauseMs, clock, ended)
  }
  return code
}

async function shown(daemon: RunningDaemon, { json }: StatusArguments, print: Print): Promise<number> {
  const found = await daemon.status()
  if (json) printJson(print, found)
  else {
    const { cases } = await daemon.evidence({ since: '1h' })
    for (const line of statusLines(found, cases, { url: daemon.url, width: print.terminal?.columns }))
      print.out(line)
  }
  const isWell = found.ready && isQuorumReachable(found) && found.ledger.writesStopped === undefined
  return isWell ? exitCodes.ok : exitCodes.unavailable
}

async function redrawn(print: Print, show: (to: Print) => Promise<number>): Promise<number> {
  const lines: string[] = []
  const keep = (line: string) => void lines.push(line)
  const code = await show({ ...print, out: keep, err: keep })
  const { columns, rows, redraw } = print.terminal as NonNullable<Print['terminal']>
  // The last row of the terminal stays empty, because a line end after text in the last row would
  // scroll the screen.
  const fitting = lines.slice(0, rows === undefined ? undefined : rows - 1)
  redraw(fitting.map((line) => fitted(line, columns)))
  return code
}
