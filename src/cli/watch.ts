import type { LoadConfigOptions } from '../config/load.ts'
import { type Clock, milliseconds, systemClock } from '../lib/clock.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printJson, type Terminal } from './print.ts'
import { type EvidenceCase, type RunningDaemon, readProblem, runningDaemonOf } from './running-daemon.ts'
import { fittedLine, statusLines } from './status-lines.ts'
import { stopSignal } from './stop-signal.ts'
import { type Change, changesBetween, type Sight } from './watch-changes.ts'

interface Given {
  readonly operations: string | undefined
  readonly json: boolean
}

export interface WatchDeps {
  readonly clock: Clock
  readonly stop: AbortSignal
}

/** Polling this often is cheap: `/status` costs the daemon less than a read. */
const everyMs = milliseconds('2s')
const mostCases = 20

/**
 * On a terminal, redraws the state. With `--json`, or if the output is no terminal, prints a line
 * for each change. A daemon that stops answering is also a change.
 */
export async function watch(
  given: Given,
  print: Print,
  options: LoadConfigOptions = {},
  deps: WatchDeps = { clock: systemClock, stop: signalled() },
): Promise<number> {
  const stop = print.unread === undefined ? deps.stop : AbortSignal.any([deps.stop, print.unread])
  const daemon = runningDaemonOf(given.operations, print, options, stop)
  if (typeof daemon === 'number') return daemon
  let before: Sight | undefined
  while (!stop.aborted) {
    const now = await sightOf(daemon)
    if (stop.aborted) break
    if (print.terminal !== undefined && !given.json) print.terminal.redraw(frame(daemon, now, print.terminal))
    else tell(changesBetween(before, now), { json: given.json, wall: deps.clock.wall() }, print)
    before = now
    await pause(deps.clock, stop)
  }
  return exitCodes.ok
}

async function sightOf(daemon: RunningDaemon): Promise<Sight> {
  try {
    const limit = String(mostCases)
    const [status, { cases }, { cases: recent }] = await Promise.all([
      daemon.status(),
      daemon.evidence({ limit }),
      daemon.evidence({ limit, since: '1h' }),
    ])
    statusLines(status, recent)
    return { answers: true, status, cases: cases.slice(0, mostCases), recent: recent.slice(0, mostCases) }
  } catch (thrown) {
    const error = readProblem(daemon, thrown)
    if (error === undefined) throw thrown
    return { answers: false, why: error.message }
  }
}

function pause(clock: Clock, stop: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const over = () => resolve()
  const cancel = clock.after(everyMs, over)
  stop.addEventListener('abort', over)
  return promise.finally(() => {
    cancel()
    stop.removeEventListener('abort', over)
  })
}

function tell(
  changes: readonly Change[],
  { json, wall }: { readonly json: boolean; readonly wall: number },
  print: Print,
): void {
  const at = new Date(wall).toISOString()
  if (json) for (const change of changes) printJson(print, { at, ...change })
  else for (const sentence of counted(changes.map(sentenceOf))) print.out(`${at}  ${sentence}`)
}

function counted(sentences: readonly string[]): readonly string[] {
  const counts = new Map<string, number>()
  for (const sentence of sentences) counts.set(sentence, (counts.get(sentence) ?? 0) + 1)
  return [...counts].map(([sentence, times]) => (times === 1 ? sentence : `${sentence}, ${times} times`))
}

function sentenceOf(change: Change): string {
  switch (change.kind) {
    case 'daemon':
      return change.answers ? `bft-scan-proxy ${change.version} answers, on ${change.network}` : change.why
    case 'ready':
      return change.ready
        ? 'the daemon is ready'
        : `the daemon is not ready: ${change.waitingFor ?? 'it is stopping'}`
    case 'super-validator':
      return `${change.name} ${memberSentences[change.state]}`
    case 'disagreement':
      return `disagreement about ${change.read}: ${change.outcome}${contradicted(change.dissenters)}`
    case 'filed':
      return `${change.name} about ${change.read}: filed as ${change.as}`
  }
}

function contradicted(dissenters: readonly string[]): string {
  return dissenters.length === 0 ? '' : `, and ${dissenters.join(', ')} contradicted it`
}

const memberSentences = {
  joined: 'joined the roster',
  left: 'left the roster',
  reachable: 'answers',
  unreachable: 'does not answer',
  'set-aside': 'was set aside by an operator',
} as const

function frame(daemon: RunningDaemon, now: Sight, terminal: Terminal): readonly string[] {
  const { columns, rows } = terminal
  const head = [`watching ${daemon.url} every ${everyMs / 1000} s; Ctrl-C ends it`, '']
  const body = now.answers
    ? [...statusLines(now.status, now.recent, columns), '', ...now.cases.map(caseLine)]
    : [now.why]
  // The last row of the terminal stays empty, because a line end after text in the last row would
  // scroll the screen.
  return [...head, ...body]
    .slice(0, rows === undefined ? undefined : rows - 1)
    .map((line) => fittedLine(line, columns))
}

function caseLine({ at, read, outcome, dissent }: EvidenceCase): string {
  const filings = Object.entries(dissent).map(([name, as]) => `${name} ${as}`)
  return `${at}  ${read}  ${outcome}${filings.length === 0 ? '' : `; ${filings.join(', ')}`}`
}

function signalled(): AbortSignal {
  const source = new AbortController()
  void stopSignal().then(() => source.abort())
  return source.signal
}
