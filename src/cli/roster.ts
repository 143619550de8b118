import { systemClock } from '../base/lib/clock.ts'
import type { ThresholdRule } from '../base/lib/threshold.ts'
import { electorateOf } from '../core/quorum/electorate.ts'
import { type Connection, releaseOf } from '../core/scan/connections.ts'
import { releaseRequest } from '../core/scan/node.ts'
import { placeOf } from '../core/scan/origin.ts'
import { type Roster, type RosterVoter, rosterOfSeeds } from '../core/scan/roster.ts'
import { resultOf, type SeedState } from '../core/scan/seed-outcome.ts'
import { standingOf, type ThresholdStanding } from '../doctor/standing.ts'
import { type AskingProcess, startAsking } from './asking-process.ts'
import { exitCodes } from './exit-codes.ts'
import { type Print, printJson } from './print.ts'
import { seedLines } from './seed-lines.ts'
import type { CommandOptions } from './seeds.ts'
import { columns } from './table.ts'

/**
 * Resolves with 0 if the list of super validators is agreed and the configured threshold can be
 * met. Otherwise resolves with another exit code, such as 69.
 */
export async function roster(
  { json }: { readonly json: boolean },
  print: Print,
  options: CommandOptions = {},
): Promise<number> {
  const asking = await startAsking(print, options)
  if (typeof asking === 'number') return asking
  await using _ = asking
  const report = await reportFrom(asking, print)
  if (json) printJson(print, report)
  else for (const line of shown(report, asking, print.terminal?.columns)) print.out(line)
  const { source, thresholds } = report
  return source === 'agreed' && thresholds.configured.holds ? exitCodes.ok : exitCodes.unavailable
}

type RosterReport = Awaited<ReturnType<typeof reportFrom>>

async function reportFrom(asking: AskingProcess, print: Print) {
  const { path, config } = asking
  const { roster: agreed, status } = path.discovery
  const found = agreed ?? rosterOfSeeds(config.scanClient, config.scanClient.seedUrls)
  let probed = 0
  const probes = await Promise.all(
    found.voters.map(async (voter) => {
      const failed = agreed === undefined ? failedSeedProbe(voter, status.seeds) : undefined
      const probe = failed ?? (await probeOf(path.connections.of(voter), config.scanClient.requestTimeoutMs))
      print.progress?.(`probing ${found.voters.length} scans: ${++probed} done`)
      return probe
    }),
  )
  print.progress?.(undefined)
  const { threshold } = config.scanClient
  const report = reportOf(found, probes, threshold, agreed !== undefined)
  if (agreed !== undefined) return { source: 'agreed' as const, ...report }
  return { source: 'seeds' as const, problem: status.waitingFor ?? '', seeds: status.seeds, ...report }
}

/** A seed that failed to give the roster is not asked again. */
function failedSeedProbe({ place }: RosterVoter, seeds: readonly SeedState[]): Probe | undefined {
  const said = seeds.find(({ url }) => placeOf(url)?.origin === place?.origin)
  if (said === undefined || said.outcome === 'answered' || said.outcome === 'not-asked-yet') return undefined
  return { ...unreachable, fault: `${said.outcome}: ${said.detail}` }
}

const unreachable: Probe = {
  reachable: false,
  latencyMs: null,
  version: null,
  fault: 'it publishes no address that can be asked',
}

/**
 * The first request may have to open a connection, so the latency is measured with a second one.
 */
async function probeOf(connection: Connection | undefined, timeoutMs: number): Promise<Probe> {
  if (connection === undefined) return unreachable
  const first = await askVersion(connection, timeoutMs)
  return first.reachable ? askVersion(connection, timeoutMs) : first
}

async function askVersion(connection: Connection, timeoutMs: number): Promise<Probe> {
  const started = systemClock.now()
  const never = new AbortController().signal
  const response = await connection.askForDaemon(releaseRequest(timeoutMs), never)
  const latencyMs = Math.round(10 * (systemClock.now() - started)) / 10
  if (response.kind === 'fault') {
    const { outcome, detail } = resultOf({ kind: 'fault', fault: response.fault }, response)
    return { ...unreachable, fault: `${outcome}: ${detail}` }
  }
  const { status } = response
  const version = releaseOf(response) ?? null
  if (status === 200 && version === null)
    return { ...unreachable, latencyMs, fault: 'its answer names no release, as that of a scan does' }
  if (status === 200) return { reachable: true, latencyMs, version, fault: null }
  const because = status === 403 ? ': this address may not be on its allow-list' : ''
  return { ...unreachable, latencyMs, fault: `it answers ${status}${because}` }
}

function* shown(
  report: RosterReport,
  { config }: AskingProcess,
  width: number | undefined,
): Iterable<string> {
  if (report.source === 'seeds') {
    yield `No roster is agreed: ${report.problem}. These are the seeds:`
    yield* seedLines(report.seeds, width)
    yield 'Without a roster no threshold holds.'
    return
  }
  yield* columns(memberRows(report), width)
  yield* unpinnedLines(report, config)
  yield `${report.voters} super validators; up to ${report.tolerated} that lie are tolerated`
  const { thresholds } = report
  yield standingLine('f+1', thresholds['f+1'])
  yield standingLine('2f+1', thresholds['2f+1'])
  const { threshold } = config.scanClient
  if (typeof threshold === 'number') yield standingLine('scanClient.threshold', thresholds.configured)
}

function* unpinnedLines(
  { dso }: RosterReport,
  { network, scanClient: { dsoPartyId, discover } }: AskingProcess['config'],
): Iterable<string> {
  if (network === 'localnet' || dsoPartyId !== undefined || !discover) return
  yield `No DSO is pinned. These super validators name ${dso}: check it, and set scanClient.dsoPartyId (SCAN_DSO_PARTY_ID) to it.`
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

function probeCells({ reachable, latencyMs, version, fault }: Probe): readonly string[] {
  return [
    reachable ? 'yes' : 'NO',
    latencyMs === null ? '-' : `${Math.round(latencyMs)} ms`,
    (reachable ? version : fault) ?? '-',
  ]
}

function standingLine(name: string, { needed, reachable, operators, holds }: ThresholdStanding): string {
  const companies =
    operators === undefined
      ? ''
      : `, and of operators: ${operators.needed} needed, ${operators.reachable} reachable`
  return `${name} ${holds ? 'holds' : 'DOES NOT HOLD'}: ${needed} needed, ${reachable} reachable${companies}`
}

interface Probe {
  readonly reachable: boolean
  /**
   * The time from the request to the response. For a reachable scan, it does not include the time
   * to open a connection.
   */
  readonly latencyMs: number | null
  readonly version: string | null
  readonly fault: string | null
}

/**
 * @param isAgreed false for the configured seeds. No threshold may be reported as met then, because
 * the super validators may be more than the seeds.
 */
function reportOf(roster: Roster, probes: readonly Probe[], configured: ThresholdRule, isAgreed: boolean) {
  const { membership, voters } = roster
  const { superValidators, operators } = roster.electorate()
  const reachable = voters.flatMap((_, at) => (probes[at]?.reachable ? [at] : []))
  const standing = (rule: ThresholdRule) => {
    const found = standingOf(electorateOf(voters, rule, operators?.n), reachable)
    return isAgreed ? found : { ...found, holds: false }
  }
  return {
    dso: isAgreed ? membership.dso : '',
    synchronizer: membership.synchronizer,
    voters: superValidators.n,
    tolerated: superValidators.f,
    superValidators: voters.map((voter, at) => ({
      names: voter.names,
      operator: voter.configuredOperator,
      url: voter.place?.url ?? null,
      ...(probes[at] as Probe),
    })),
    thresholds: {
      'f+1': standing('f+1'),
      '2f+1': standing('2f+1'),
      configured: standing(configured),
    },
  }
}
