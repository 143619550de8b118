import type { LoadConfigOptions } from '../config/load.ts'
import { systemClock } from '../lib/clock.ts'
import type { ThresholdStanding } from '../quorum/standing.ts'
import type { Connection } from '../scan/connections.ts'
import { placeOf } from '../scan/origin.ts'
import { Roster, type RosterVoter, seedsAsSet } from '../scan/roster.ts'
import type { SeedState } from '../scan/seed-results.ts'
import { type AskingProcess, startAsking } from './asking.ts'
import { exitCodes, type Print } from './print.ts'
import { type Probe, type RosterReport, reportOf } from './roster-data.ts'
import { doctorHint, seedCounts } from './seed-counts.ts'
import { columns } from './table.ts'

/**
 * Prints which super validators this machine can reach, their latencies and releases, and whether they are enough.
 * Resolves with 0 if the configured threshold is met, else 69.
 */
export async function roster(
  { json }: { readonly json: boolean },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const asking = await startAsking(print, options)
  if (typeof asking === 'number') return asking
  await using _ = asking
  const report = await reportFrom(asking, print)
  if (json) print.out(JSON.stringify(report))
  else for (const line of shown(report, asking, print.terminal?.columns)) print.out(line)
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
  const { threshold } = config.scanClient
  if (agreed !== undefined) return { source: 'agreed', ...reportOf(found, probes, threshold) }
  const usable = found.voters.map((voter, at) => asSeed(probes[at] as Probe, voter, status.seeds))
  return {
    source: 'seeds',
    problem: status.waitingFor ?? '',
    seedAnswers: Object.fromEntries(seedAnswers),
    ...reportOf(found, usable, threshold),
  }
}

/** A seed that can be reached but gave no roster is of no use, so it does not count. */
function asSeed(probe: Probe, { place }: RosterVoter, seeds: readonly SeedState[]): Probe {
  const said = seeds.find(({ url }) => placeOf(url)?.origin === place?.origin)
  if (!probe.reachable || said === undefined) return probe
  if (said.outcome === 'answered' || said.outcome === 'not-asked-yet') return probe
  return { ...probe, reachable: false, fault: `${said.outcome}: ${said.detail}` }
}

/** Without an agreed roster, reports on the seeds, because they are the nodes that an operator wants to reach. */
function seedsAsRoster({ config: { scanClient } }: AskingProcess): Roster {
  const { scanType: mode, threshold, operators } = scanClient
  return new Roster(seedsAsSet(scanClient.seedUrls), { mode, threshold, thresholds: {}, operators })
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
  if (status === 200 && version === null)
    return { ...unreachable, latencyMs, fault: 'its answer names no release, as that of a scan does' }
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

function* shown(
  report: RosterReport,
  { config, path }: AskingProcess,
  width: number | undefined,
): Iterable<string> {
  if (report.source === 'seeds') {
    yield `No roster is agreed: ${report.problem}. These are the seeds:`
    yield* columns(seedRows(report), width)
    yield `${seedCounts(path.discovery.status.seeds)}; ${doctorHint}`
  } else yield* columns(memberRows(report), width)
  yield `${report.voters} super validators; up to ${report.tolerated} that lie are tolerated`
  const { thresholds } = report
  yield standingLine('f+1', thresholds['f+1'])
  yield standingLine('2f+1', thresholds['2f+1'])
  const { threshold } = config.scanClient
  if (typeof threshold === 'number') yield standingLine(`scanClient.threshold`, thresholds.configured)
}

function memberRows({ superValidators }: RosterReport): readonly (readonly string[])[] {
  const header = ['super validator', 'operator', 'scan', 'reachable', 'latency', 'release']
  const rows = superValidators.map((one) => [
    one.names.join(', '),
    one.operator ?? '-',
    one.url === null ? '-' : new URL(one.url).host,
    ...probeCells(one),
  ])
  return [header, ...rows]
}

/** The name of a seed is its host, so there is no column of addresses. */
function seedRows({ superValidators, seedAnswers = {} }: RosterReport): readonly (readonly string[])[] {
  const rows = superValidators.map((one) => {
    const said = one.names.flatMap((name) => seedAnswers[name] ?? [])
    return [one.names.join(', '), one.operator ?? '-', said[0] ?? '-', ...probeCells(one)]
  })
  return [['seed', 'operator', 'said', 'reachable', 'latency', 'release'], ...rows]
}

function probeCells({ reachable, latencyMs, version, fault }: Probe): readonly string[] {
  return [
    reachable ? 'yes' : 'NO',
    latencyMs === null ? '-' : `${Math.round(latencyMs)} ms`,
    (reachable ? version : fault) ?? '-',
  ]
}

function standingLine(name: string, { needed, reachable, operators, holds }: ThresholdStanding): string {
  const companies =
    operators === undefined ? '' : `, and ${operators.needed} operators: ${operators.reachable}`
  return `${name} ${holds ? 'holds' : 'DOES NOT HOLD'}: ${needed} needed, ${reachable} reachable${companies}`
}
