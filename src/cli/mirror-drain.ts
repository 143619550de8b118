import { SpliceError } from '../base/errors/splice.ts'
import { systemClock } from '../base/lib/clock.ts'
import { systemRandom } from '../base/lib/random.ts'
import type { DrainOutcome } from '../mirror/drain-outcome.ts'
import type { DrainReport, ScanOutcome } from '../mirror/drain-report.ts'
import type { TrialDrain } from '../mirror/drains.ts'
import { agreedBy, errorOf, exitCodeOfError } from './ask.ts'
import { type AskingProcess, startAsking } from './asking-process.ts'
import { showSeconds } from './durations.ts'
import { exitCodes } from './exit-codes.ts'
import { misused, type Print, printJson } from './print.ts'
import { seedCounts } from './seed-lines.ts'
import type { CommandOptions } from './seeds.ts'
import { columns } from './table.ts'

const codes: Readonly<Record<DrainOutcome['kind'], number>> = {
  agreed: exitCodes.ok,
  'not-yet': exitCodes.unavailable,
  'path-unknown': exitCodes.unavailable,
  unreachable: exitCodes.unavailable,
  'roster-changed': exitCodes.unavailable,
  disputed: exitCodes.disagreement,
  'too-many-entries': exitCodes.failed,
}

/** A drain reads the latest snapshot of all names from every super validator's scan. */
export async function mirrorDrain(
  { json, 'dry-run': isDryRun }: { readonly json: boolean; readonly 'dry-run': boolean },
  print: Print,
  options: CommandOptions = {},
): Promise<number> {
  if (!isDryRun)
    return misused(
      print,
      'mirror drain needs --dry-run: a daemon whose mirror.level is bindings or stream drains by itself',
    )
  const asking = await startAsking(print, options)
  if (typeof asking === 'number') return asking
  await using _ = asking
  try {
    const drained = await drainWith(asking, print)
    if (typeof drained === 'number') return drained
    if (json) printJson(print, reportOf(drained))
    else for (const line of shown(drained, print.terminal?.columns)) print.out(line)
    return codes[drained.outcome.kind]
  } catch (error) {
    if (!(error instanceof SpliceError)) throw error
    if (json) printJson(print, errorOf(error))
    else print.err(error.message)
    return exitCodeOfError(error)
  } finally {
    print.progress?.(undefined)
  }
}

async function drainWith({ config, path }: AskingProcess, print: Print): Promise<TrialDrain | number> {
  const { discovery, connections, judge, reader } = path
  const { roster, status } = discovery
  if (roster === undefined) {
    print.err(`No roster is agreed: ${status.waitingFor ?? ''}.`)
    print.err(seedCounts(status.seeds))
    return exitCodes.unavailable
  }
  print.progress?.(`draining the latest snapshot from ${roster.voters.length} scans`)
  const { drainOnTrial } = await import('../mirror/drains.ts')
  const deps = { clock: systemClock, random: systemRandom, connections, judge, roster, reader }
  const drained = await drainOnTrial(config, deps, new AbortController().signal)
  print.progress?.(undefined)
  return drained
}

function reportOf({ at, outcome }: TrialDrain) {
  const report = 'report' in outcome ? outcome.report : undefined
  const agreed = outcome.kind === 'agreed' ? outcome.set : undefined
  return {
    kind: outcome.kind,
    asOf: new Date(at).toISOString(),
    ...('why' in outcome && { error: outcome.why }),
    ...(agreed && {
      names: agreed.entries.length,
      digest: agreed.digest,
      migrationId: agreed.migrationId,
      agreement: agreed.agreement,
    }),
    ...(report && {
      bytes: report.bytes,
      seconds: report.seconds,
      availableAfterSeconds: report.availableAfterMs === undefined ? null : report.availableAfterMs / 1000,
      alike: report.digests.length <= 1,
      dissenters: report.dissenters,
      superValidators: report.scans,
    }),
  }
}

function* shown({ outcome, says }: TrialDrain, width: number | undefined): Iterable<string> {
  const report = 'report' in outcome ? outcome.report : undefined
  if (report !== undefined) {
    yield* columns(rowsOf(report), width)
    yield ''
  }
  yield outcome.kind === 'roster-changed' ? `${says} Try again.` : says
  if (outcome.kind === 'agreed') yield agreedBy(outcome.set.agreement)
  if (report !== undefined) yield* courseLines(report)
}

const words: Readonly<Record<ScanOutcome, string>> = {
  set: '',
  none: '',
  'not-asked': 'not asked',
  'not-ended': 'had not ended at the decision',
}

function rowsOf({ scans }: DrainReport): readonly (readonly string[])[] {
  const header = ['super validator', 'digest', 'contracts', 'bytes', 'time', 'why']
  const rows = scans.map(({ names, outcome, digest, contracts, bytes, seconds, why }) => [
    names.join(', '),
    digest?.slice(0, 12) ?? '-',
    contracts === null ? '-' : `${contracts}`,
    `${bytes}`,
    why === 'unreachable' || outcome.startsWith('not-') ? '-' : showSeconds(seconds),
    why ?? words[outcome],
  ])
  return [header, ...rows]
}

function* courseLines(report: DrainReport): Iterable<string> {
  const { bytes, seconds, availableAfterMs, digests, dissenters } = report
  yield `${bytes} bytes in ${showSeconds(seconds)}`
  if (availableAfterMs !== undefined && availableAfterMs >= 0)
    yield `as many as are needed had it ${showSeconds(availableAfterMs / 1000)} after that time, or earlier`
  if (digests.length <= 1)
    yield digests.length === 0 ? 'none of them gave a set' : 'all that gave a set gave the same'
  else if (dissenters.length > 0) yield `DIFFERENT: ${dissenters.join(', ')}`
  else for (const { digest, who } of digests) yield `${digest.slice(0, 12)}: ${who.join(', ')}`
}
