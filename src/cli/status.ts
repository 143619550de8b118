import type { LoadConfigOptions } from '../base/config/load.ts'
import { byName } from '../base/lib/by-name.ts'
import { type Clock, milliseconds, systemClock } from '../base/lib/clock.ts'
import { passing } from '../base/lib/passing.ts'
import { dissentSeries, doubtSeries } from '../server/ui/incidents.ts'
import { showSeconds } from './durations.ts'
import { exitCodes } from './exit-codes.ts'
import type { Chosen } from './options.ts'
import { type Print, printJson } from './print.ts'
import { askDaemon, type DaemonEvidence, type DaemonStatus, type RunningDaemon } from './running-daemon.ts'
import { seedCounts } from './seed-lines.ts'
import { stopSignal } from './stop-signal.ts'
import { columns } from './table.ts'
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

type Cases = DaemonEvidence['cases']
type Member = NonNullable<DaemonStatus['roster']>['superValidators'][number]
type General = NonNullable<DaemonStatus['thresholds']>['general']

const rankLegend = 'speed rank 1 is asked first'
const sparedLegend = 'not asked: why it is spared, and until when'
const evidenceHint = 'see `bft-scan-proxy evidence`'
const doubtHint = `nobody can tell who is right: ${evidenceHint}`

/** @param cases the disagreements of the last hour, newest first. */
export function statusLines(
  status: DaemonStatus,
  cases: Cases,
  { url, width }: { readonly url: string; readonly width?: number | undefined },
): readonly string[] {
  const { roster } = status
  const about = columns([...facts(status, url), ...contradictionFacts(status, cases)], width)
  if (roster === null) return about
  const isSpared = roster.superValidators.some((member) => whyNotAsked(member) !== '')
  const header = ['super validator', 'operator', 'scan', 'reachable', 'reply', 'speed rank', 'release']
  if (isSpared) header.push('not asked')
  const table = columns([header, ...roster.superValidators.map(memberRow)], width)
  return [...about, '', ...table, fitted(isSpared ? `${rankLegend}; ${sparedLegend}` : rankLegend, width)]
}

function isQuorumReachable({ roster, thresholds }: DaemonStatus): boolean {
  if (roster === null || thresholds === null) return false
  const { superValidators, operators } = thresholds.general
  const reachable = roster.superValidators.filter(isReachable)
  const companies = new Set(reachable.map(({ operator, names }) => operator ?? names[0]))
  return reachable.length >= superValidators.threshold && companies.size >= (operators?.threshold ?? 0)
}

function statusSummary(status: DaemonStatus): string {
  const { version, network, mode, uptimeSeconds } = status
  return `bft-scan-proxy ${version} on ${network} (${mode}), up ${showSeconds(uptimeSeconds)}, ${readiness(status)}`
}

function reachability({ roster }: DaemonStatus): string {
  if (roster === null) return 'no roster yet: reads fail'
  const { superValidators } = roster
  const aside = superValidators.filter(({ cordoned }) => cordoned).length
  const apart = aside === 0 ? '' : `, ${aside} set aside by an operator`
  return `${superValidators.filter(isReachable).length} of ${superValidators.length} super validators reachable${apart}`
}

/** The daemon asks no super validator that an operator has set aside. */
function isReachable({ reachable, cordoned }: Member): boolean {
  return reachable && cordoned !== true
}

function readiness({ ready, waitingFor }: DaemonStatus): string {
  return ready ? 'ready' : `NOT READY${waitingFor === undefined ? '' : `: ${waitingFor}`}`
}

function facts(status: DaemonStatus, url: string): readonly (readonly string[])[] {
  const { roster, seeds, thresholds, cache, ledger, warning } = status
  const { values, absences, maxBytes } = cache.memory
  const age = roster?.ageSeconds ?? undefined
  return [
    ['daemon', statusSummary(status)],
    ['', `at ${url}`],
    ['roster', reachability(status) + (age === undefined ? '' : `, agreed ${showSeconds(age)} ago`)],
    ...(roster === null && seeds.length > 0 ? [['seeds', seedCounts(seeds)]] : []),
    ...(warning === undefined ? [] : [['warning', warning]]),
    ...(thresholds === null ? [] : [['threshold', thresholdText(thresholds.general)]]),
    ...(roster === null || isQuorumReachable(status)
      ? []
      : [['quorum', 'NO quorum is reachable: uncached reads fail']]),
    ['protected', protection(status)],
    ...releaseFacts(roster),
    ...decidingOperators(status).map((operator) => ['', `NOT against ${operator} alone, which has a quorum`]),
    ...readFacts(status),
    ['cache', `${mebibytes(values + absences)} of ${mebibytes(maxBytes)}; Redis: ${cache.redis}`],
    ...(cache.redisBecause === undefined ? [] : [['', cache.redisBecause]]),
    ...mirrorFacts(status),
    ['ledger', ledgerText(ledger)],
    ...(ledger.writesStopped === undefined ? [] : [['', `takes no writes: ${ledger.writesStopped}`]]),
    ...logFacts(status),
  ]
}

function logFacts({ log }: DaemonStatus): readonly (readonly string[])[] {
  if (log === null || log.linesLost === 0) return []
  const lost = `${log.linesLost} lines lost`
  return [['log', log.because === undefined ? lost : `${lost}; now because ${log.because}`]]
}

function contradictionFacts({ thresholds }: DaemonStatus, cases: Cases): readonly (readonly string[])[] {
  const latest = cases[0]
  if (thresholds === null || latest === undefined) return []
  const { f } = thresholds.general.superValidators
  // The time of the latest case stands for the present time, because this machine's clock may
  // differ from the daemon's.
  const now = Date.parse(latest.at)
  const rows: (readonly string[])[] = []
  if (doubtSeries(cases, f, now) !== undefined)
    rows.push(['doubt', `MORE than may lie contradicted each other in the last hour; ${doubtHint}`])
  const dissent = dissentSeries(cases, f, now)
  if (dissent !== undefined) {
    const who = dissent.who.toSorted(byName).join(', ')
    rows.push(['dissent', `contradicted the others in the last hour: ${who}; ${evidenceHint}`])
  }
  return rows
}

/**
 * Reachable super validators can disagree, so the number of reads without agreement matters even
 * while a quorum is reachable.
 */
function readFacts({ reads }: DaemonStatus): readonly (readonly string[])[] {
  if (reads.notAgreed === 0) return []
  const { minutes, notAgreed, settled } = reads
  return [['reads', `NOT agreed in the last ${minutes} minutes: ${notAgreed} of ${settled}`]]
}

function decidingOperators({ roster, thresholds }: DaemonStatus): readonly string[] {
  const { superValidators, operators } = thresholds?.general ?? {}
  if (roster === null || superValidators === undefined || operators?.threshold !== 1) return []
  const all = roster.superValidators.flatMap(({ operator }) => operator ?? [])
  return [...new Set(all)].filter(
    (operator) => all.filter((each) => each === operator).length >= superValidators.threshold,
  )
}

function protection({ roster, protected: isProtected }: DaemonStatus): string {
  if (roster === null) return 'not known: there is no roster yet'
  return isProtected
    ? 'yes: f that lie cannot make up an answer'
    : 'NO: one super validator that lies can make up an answer'
}

function releaseFacts(roster: DaemonStatus['roster']): readonly (readonly string[])[] {
  const newer = roster?.superValidators.filter(({ newerThanKnown }) => newerThanKnown) ?? []
  if (newer.length === 0) return []
  const who = newer.map(({ names, release }) => `${names.join(', ')} (${release})`).join(', ')
  return [['releases', `NEWER Splice than this daemon knows (${roster?.newestKnownRelease}): ${who}`]]
}

function mirrorFacts({ mirror }: DaemonStatus): readonly (readonly string[])[] {
  if (!('asOf' in mirror)) return []
  const { level, wanted, asOf, degradedBecause, unkeptBecause, liveBecause, nextDrain } = mirror
  const served = level === wanted ? level : `${level.toUpperCase()}, and ${wanted} is wanted`
  const age = asOf === null ? '' : `, as of ${asOf}`
  const why = degradedBecause === null ? '' : `: ${degradedBecause}`
  const next =
    mirror.nextDrainSeconds === 0 ? 'now' : `at ${nextDrain}, in ${showSeconds(mirror.nextDrainSeconds)}`
  return [
    ['mirror', `${served}${age}${why}`],
    // At the end of the row above, a terminal of 80 columns would cut it off.
    ...(level === 'off' ? [['', `the next snapshot is drained ${next}`]] : []),
    ...(liveBecause === null ? [] : [['', liveBecause]]),
    ...(unkeptBecause === null ? [] : [['mirror.file', `NOT written: ${unkeptBecause}`]]),
  ]
}

function ledgerText({ driver, kept, url }: DaemonStatus['ledger']): string {
  if (kept !== undefined) return `${driver}, keeps ${kept}`
  return url === undefined ? driver : `${driver} at ${url}`
}

function thresholdText({ superValidators, operators }: General): string {
  const voters = `${superValidators.threshold} of ${superValidators.n} super validators`
  return operators === undefined
    ? voters
    : `${voters}, and ${operators.threshold} of ${operators.n} operators`
}

function memberRow(member: Member) {
  const { names, operator, url, replySeconds, place, release } = member
  return [
    names.join(', '),
    operator ?? '-',
    url === null ? '-' : new URL(url).host,
    isReachable(member) ? 'yes' : 'NO',
    replySeconds === null || !isReachable(member) ? '-' : showSeconds(replySeconds),
    place === null ? '-' : String(place),
    release ?? '-',
    whyNotAsked(member),
  ]
}

function whyNotAsked({ cordoned, pause }: Member): string {
  if (cordoned) return 'set aside by an operator'
  return pause === null ? '' : `${pause.why} until ${pause.until}`
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
