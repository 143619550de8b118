import type { Count } from '../quorum/threshold.ts'
import { showSeconds } from './durations.ts'
import type { DaemonMember, DaemonStatus } from './running-daemon.ts'
import { doctorHint, seedCounts } from './seed-counts.ts'
import { columns } from './table.ts'
import { fitted } from './text-width.ts'

const legend = 'place 1 is asked first; not asked: why it is spared, and until when'

/** Shows a daemon's state. No line is longer than the width, if there is one. */
export function statusLines(status: DaemonStatus, width?: number): readonly string[] {
  const { roster } = status
  const about = columns(facts(status), width)
  if (roster === null) return about
  const header = ['super validator', 'operator', 'scan', 'reachable', 'reply', 'place', 'not asked']
  const table = columns([header, ...roster.superValidators.map(memberRow)], width)
  return [...about, '', ...table, fittedLine(legend, width)]
}

/** Whether as many super validators are reachable as an uncached read needs, and as many operators. */
export function isQuorumReachable({ roster, thresholds }: DaemonStatus): boolean {
  if (roster === null || thresholds === null) return false
  const { superValidators, operators } = thresholds.general
  const reachable = roster.superValidators.filter(isReachable)
  const companies = new Set(reachable.map(({ operator, names }) => operator ?? names[0]))
  return reachable.length >= superValidators.threshold && companies.size >= (operators?.threshold ?? 0)
}

/** One line about a daemon. */
function statusSummary(status: DaemonStatus): string {
  const { version, network, mode, uptimeSeconds } = status
  return `bft-scan-proxy ${version} on ${network} (${mode}), up ${showSeconds(uptimeSeconds)}, ${readiness(status)}`
}

/** How many super validators are reachable. */
function reachability({ roster }: DaemonStatus): string {
  if (roster === null) return 'no roster yet: reads fail'
  const { superValidators } = roster
  const aside = superValidators.filter(({ cordoned }) => cordoned).length
  const apart = aside === 0 ? '' : `, ${aside} set aside by an operator`
  return `${superValidators.filter(isReachable).length} of ${superValidators.length} super validators reachable${apart}`
}

/** Whether the daemon can ask it. It asks none that an operator has set aside. */
export function isReachable({ reachable, cordoned }: DaemonMember): boolean {
  return reachable && cordoned !== true
}

/** Shows the beginning of a line that does not fit. */
export function fittedLine(line: string, width: number | undefined): string {
  return width === undefined ? line : fitted(line, width)
}

function readiness({ ready, waitingFor }: DaemonStatus): string {
  return ready ? 'ready' : `NOT READY${waitingFor === undefined ? '' : `: ${waitingFor}`}`
}

function facts(status: DaemonStatus): readonly (readonly string[])[] {
  const { roster, thresholds, cache, ledger, warning } = status
  const { values, absences, maxBytes } = cache.memory
  const age = roster?.ageSeconds ?? undefined
  return [
    ['daemon', statusSummary(status)],
    ['roster', reachability(status) + (age === undefined ? '' : `, agreed ${showSeconds(age)} ago`)],
    ...(roster === null ? seedFacts(status) : []),
    ...(warning === undefined ? [] : [['warning', warning]]),
    ...(thresholds === null ? [] : [['threshold', thresholdText(thresholds.general)]]),
    ...(roster === null || isQuorumReachable(status)
      ? []
      : [['quorum', 'NO quorum is reachable: uncached reads fail']]),
    ['protected', protection(status)],
    ...readFacts(status),
    ['cache', `${mebibytes(values + absences)} of ${mebibytes(maxBytes)}; Redis: ${cache.redis}`],
    ['ledger', ledgerText(ledger)],
    ...(ledger.writesStopped === undefined ? [] : [['', `takes no writes: ${ledger.writesStopped}`]]),
  ]
}

/** Why there is no roster, where the seeds are known. */
function seedFacts({ seeds = [] }: DaemonStatus): readonly (readonly string[])[] {
  return seeds.length === 0 ? [] : [['seeds', `${seedCounts(seeds)}; ${doctorHint}`]]
}

/** How many reads were not agreed, unless all were. A quorum may be reachable and still not agree. */
function readFacts({ reads }: DaemonStatus): readonly (readonly string[])[] {
  if (reads === undefined || reads.notAgreed === 0) return []
  const { minutes, notAgreed, settled } = reads
  return [['reads', `NOT agreed in the last ${minutes} minutes: ${notAgreed} of ${settled}`]]
}

function protection({ roster, protected: isProtected }: DaemonStatus): string {
  if (roster === null) return 'not known: there is no roster yet'
  return isProtected ? 'yes' : 'NO: one super validator that lies can make up an answer'
}

function ledgerText({ driver, kept, url }: DaemonStatus['ledger']): string {
  if (kept !== undefined) return `${driver}, keeps ${kept}`
  return url === undefined ? driver : `${driver} at ${url}`
}

function thresholdText({
  superValidators,
  operators,
}: {
  readonly superValidators: Count
  readonly operators?: Count
}): string {
  const voters = `${superValidators.threshold} of ${superValidators.n} super validators`
  return operators === undefined
    ? voters
    : `${voters}, and ${operators.threshold} of ${operators.n} operators`
}

function memberRow(member: DaemonMember) {
  const { names, operator, url, replySeconds, place } = member
  return [
    names.join(', '),
    operator ?? '-',
    url === null ? '-' : new URL(url).host,
    isReachable(member) ? 'yes' : 'NO',
    replySeconds === null ? '-' : showSeconds(replySeconds),
    place === null ? '-' : String(place),
    whyNotAsked(member),
  ]
}

function whyNotAsked({ cordoned, pause }: DaemonMember): string {
  if (cordoned) return 'set aside by an operator'
  return pause === null ? '' : `${pause.why} until ${pause.until}`
}

function mebibytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MiB`
}
