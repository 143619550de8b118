import type { LoadConfigOptions } from '../config/load.ts'
import { systemClock } from '../lib/clock.ts'
import type { Connection } from '../scan/connections.ts'
import { placeOf } from '../scan/origin.ts'
import { Roster } from '../scan/roster.ts'
import { misused, parsed } from './arguments.ts'
import { type AskingProcess, startAsking } from './asking.ts'
import { exitCodes, type Print } from './print.ts'
import { type Probe, type RosterReport, type RosterStanding, reportOf } from './roster-data.ts'
import { columns } from './table.ts'
import { usages } from './usages.ts'

/**
 * Prints which super validators this machine can reach, their latencies and releases, and whether they are enough.
 * Resolves with 0 if the configured threshold is met, else 69.
 */
export async function roster(
  args: readonly string[],
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const json = parse(args)
  if (json === undefined) return misused(print, usages.roster)
  const asking = await startAsking(print, options)
  if (typeof asking === 'number') return asking
  await using _ = asking
  const report = await reportFrom(asking, print)
  if (json) print.out(JSON.stringify(report))
  else for (const line of shown(report, asking)) print.out(line)
  const { source, thresholds } = report
  return source === 'agreed' && thresholds.configured.holds ? exitCodes.ok : exitCodes.unavailable
}

async function reportFrom(asking: AskingProcess, print: Print): Promise<RosterReport> {
  const { path, config, seedAnswers } = asking
  const { roster: agreed, status } = path.discovery
  const found = agreed ?? seedsAsRoster(asking)
  let probed = 0
  const probes = await Promise.all(
    found.voters.map(async (voter) => {
      const probe = await probeOf(path.connections.of(voter), config.scanClient.requestTimeoutMs)
      print.progress?.(`probing ${found.voters.length} scans: ${++probed} done`)
      return probe
    }),
  )
  print.progress?.(undefined)
  const report = reportOf(found, probes, config.scanClient.threshold)
  if (agreed !== undefined) return { source: 'agreed', ...report }
  return {
    source: 'seeds',
    problem: status.waitingFor ?? '',
    seedAnswers: Object.fromEntries(seedAnswers),
    ...report,
  }
}

/** Without an agreed roster, reports on the seeds, because they are the nodes that an operator wants to reach. */
function seedsAsRoster({ config: { scanClient } }: AskingProcess): Roster {
  const members = scanClient.seedUrls.map((url) => ({ name: placeOf(url)?.host ?? url, urls: [url] }))
  const { scanType: mode, threshold, operators } = scanClient
  return new Roster({ dso: '', synchronizer: '', members }, { mode, threshold, thresholds: {}, operators })
}

const unreachable: Probe = {
  reachable: false,
  latencyMs: null,
  version: null,
  fault: 'it publishes no address that can be asked',
}

/** Asks twice: the first ask may have to connect, so only the second one measures the latency. */
async function probeOf(connection: Connection | undefined, timeoutMs: number): Promise<Probe> {
  if (connection === undefined) return unreachable
  const first = await askVersion(connection, timeoutMs)
  return first.reachable ? askVersion(connection, timeoutMs) : first
}

async function askVersion(connection: Connection, timeoutMs: number): Promise<Probe> {
  const started = systemClock.now()
  const never = new AbortController().signal
  const request = { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs } as const
  const response = await connection.ask(request, never)
  const latencyMs = Math.round(10 * (systemClock.now() - started)) / 10
  if (response.kind === 'fault') return { ...unreachable, fault: `${response.fault}: ${response.detail}` }
  const { status, body } = response
  const version = versionIn(body.toString())
  response.release()
  if (status === 200) return { reachable: true, latencyMs, version, fault: null }
  const because = status === 403 ? ': this address may not be on its allow-list' : ''
  return { ...unreachable, latencyMs, fault: `it answers ${status}${because}` }
}

function versionIn(body: string): string | null {
  try {
    const { version } = JSON.parse(body) as { readonly version?: unknown }
    return typeof version === 'string' ? version.slice(0, 40) : null
  } catch {
    return null
  }
}

function* shown(report: RosterReport, { config }: AskingProcess): Iterable<string> {
  if (report.source === 'seeds') yield `No roster is agreed: ${report.problem}. These are the seeds:`
  const header = ['super validator', 'operator', 'scan', 'reachable', 'latency', 'release']
  const rows = report.superValidators.map(
    ({ names, operator, url, reachable, latencyMs, version, fault }) => [
      names.join(', '),
      operator ?? '-',
      url === null ? '-' : new URL(url).host,
      reachable ? 'yes' : 'NO',
      latencyMs === null ? '-' : `${Math.round(latencyMs)} ms`,
      reachable ? (version ?? '-') : (fault ?? '-'),
    ],
  )
  yield* columns([header, ...rows])
  for (const [seed, answer] of Object.entries(report.seedAnswers ?? {})) yield `${seed} said: ${answer}`
  yield `${report.voters} super validators; up to ${report.tolerated} that lie are tolerated`
  const { thresholds } = report
  yield standingLine('f+1', thresholds['f+1'])
  yield standingLine('2f+1', thresholds['2f+1'])
  const { threshold } = config.scanClient
  if (typeof threshold === 'number') yield standingLine(`scanClient.threshold`, thresholds.configured)
}

function standingLine(name: string, { needed, reachable, operators, holds }: RosterStanding): string {
  const companies =
    operators === undefined ? '' : `, and ${operators.needed} operators: ${operators.reachable}`
  return `${name} ${holds ? 'holds' : 'DOES NOT HOLD'}: ${needed} needed, ${reachable} reachable${companies}`
}

function parse(args: readonly string[]): boolean | undefined {
  return parsed({ args, options: { json: { type: 'boolean', default: false } } })?.values.json
}
