import { joinedWithAnd } from '../base/lib/joined-with-and.ts'
import { newestKnown, standingOf } from '../core/reads/releases.ts'
import { unconfirmed } from './findings.ts'
import type {
  DoctorReport,
  ExaminedRoster,
  ExaminedSuperValidator,
  ExaminedThreshold,
  StepId,
  VerdictKind,
} from './report.ts'
import { steps } from './report.ts'

type JudgedReport = Pick<DoctorReport, 'roster' | 'superValidators' | 'tolerated' | 'thresholds'> & {
  readonly minimumVoters: number
}

export function verdictOf(judged: JudgedReport): DoctorReport['verdict'] {
  return { kind: kindOf(judged), sentences: [...sentencesOf(judged)] }
}

function kindOf({ roster, superValidators, thresholds, minimumVoters }: JudgedReport): VerdictKind {
  if (!hasRoster(roster) || sizeOf(superValidators) < minimumVoters || thresholds.some(({ holds }) => !holds))
    return 'not-enough'
  return superValidators.every(isWell) ? 'well' : 'some-missing'
}

function* sentencesOf(judged: JudgedReport): Iterable<string> {
  const { roster, superValidators, tolerated, thresholds, minimumVoters } = judged
  yield rosterSentence(roster)
  const size = sizeOf(superValidators)
  if (size < minimumVoters)
    yield `${plural(size, 'super validator')} are fewer than scanClient.minimumVoters demands: ${minimumVoters}.`
  const usable = superValidators.filter((one) => one.usable)
  yield `${usable.length} of ${plural(superValidators.length, 'scan')} can be used from here; up to ${tolerated} that lie are tolerated.`
  const missing = superValidators.filter((one) => !one.usable)
  const alone = missing.filter(isUnconfirmed)
  const silent = missing.filter((one) => !isUnconfirmed(one))
  if (silent.length > 0) yield `These cannot: ${namesOf(silent)}.`
  if (alone.length > 0)
    yield `These answer, but do not count, because too few others confirm which network they belong to: ${namesOf(alone)}.`
  const alike = commonFailure(superValidators)
  if (alike !== undefined) yield alike
  const unwell = usable.filter((one) => !isWell(one))
  if (unwell.length > 0)
    yield `These can, but something is wrong: ${joinedWithAnd(unwell.map((one) => `${one.names.join(', ')} (${joinedWithAnd(failedSteps(one))})`))}.`
  const newer = superValidators.filter(({ release }) => standingOf(release ?? undefined) === 'newer')
  if (newer.length > 0)
    yield `These run a newer Splice than this release of the proxy knows (newest known ${newestKnown}): ${joinedWithAnd(newer.map(({ names, release }) => `${names.join(', ')} (${release})`))}. Reads whose paths it changed fail; see whether there is a newer proxy.`
  for (const threshold of thresholds) yield thresholdSentence(threshold)
  yield conclusionOf(judged)
}

/**
 * Returns advice if the first failure is the same for every super validator: the same step, with the
 * same reason. Otherwise, or with fewer than two super validators, returns undefined.
 */
function commonFailure(superValidators: readonly ExaminedSuperValidator[]): string | undefined {
  if (superValidators.length < 2) return undefined
  const failures = new Set(superValidators.map(firstFailure))
  const [failure] = failures
  if (failures.size > 1 || failure === undefined) return undefined
  if (failure === 'tcp (dropped)' || failure === 'version (403)')
    return `All fail alike at ${failure}: most likely nobody has allowed this machine's address yet. Send them the texts below.`
  if (failure === 'dns (blocked)')
    return 'All are blocked by options of this daemon: see scanClient.allowHttp and scanClient.allowPrivate, and the reasons below.'
  if (failure.endsWith('(split)'))
    return `All answer from here, but they contradict each other at ${failure}: more super validators than f may lie. The cause is not on this side.`
  if (failure === 'dso (other)')
    return `All answer, and fail alike at ${failure}: they are of another network than scanClient.dsoPartyId, the pin. Check it, and scanClient.seedUrls.`
  return `All fail alike at ${failure}: most likely the cause is on this side. Check this machine's DNS, firewall, clock and forward proxy.`
}

function firstFailure(one: ExaminedSuperValidator): string | undefined {
  const [step] = failedSteps(one)
  return step === undefined ? undefined : `${step} (${one.steps[step].word})`
}

function conclusionOf(judged: JudgedReport): string {
  switch (kindOf(judged)) {
    case 'well':
      return 'All is well. Whether a super validator lies is not examined here: its votes show it.'
    case 'some-missing':
      return 'Every threshold holds, but something is wrong at some super validators.'
    case 'not-enough':
      return `This is not enough${exceptFor(judged)}: see the thresholds that do not hold, and the reasons.`
  }
}

function exceptFor({ roster, superValidators, thresholds, minimumVoters }: JudgedReport): string {
  const holding = thresholds.filter(({ holds }) => holds).map(({ name }) => name)
  if (!hasRoster(roster) || sizeOf(superValidators) < minimumVoters || holding.length === 0) return ''
  const rest = thresholds.filter(({ holds }) => !holds).map(({ name }) => name)
  return ` for ${joinedWithAnd(rest)}, although it is enough for ${joinedWithAnd(holding)}`
}

function rosterSentence({ source, toldBy, needed, seeds }: ExaminedRoster): string {
  const told = `${toldBy} of ${plural(seeds, 'seed')} name${toldBy === 1 ? 's' : ''} these super validators`
  switch (source) {
    case 'agreed':
      return `${told}; ${needed} must.`
    case 'told':
      return `Only ${told}, and ${needed} must: a daemon that starts here without a roster file has no roster and answers 503.`
    case 'seeds':
      return `No seed says who the super validators are, so these are the seeds; ${needed} of ${seeds} must say it. A daemon that starts here without a roster file has no roster and answers 503.`
    case 'configuration':
      return 'The configured seeds are the roster; no list is asked for.'
  }
}

function thresholdSentence({ name, needed, reachable, operators, holds }: ExaminedThreshold): string {
  const scans = `${plural(needed, 'scan')} needed, ${reachable} can be used`
  const companies =
    operators === undefined
      ? ''
      : `, and ${plural(operators.needed, 'operator')} needed, ${operators.reachable} can be used`
  return `${name} ${holds ? 'holds' : 'DOES NOT HOLD'}: ${scans}${companies}.`
}

function hasRoster({ source }: ExaminedRoster): boolean {
  return source === 'agreed' || source === 'configuration'
}

function sizeOf(superValidators: readonly ExaminedSuperValidator[]): number {
  return superValidators.reduce((sum, { names }) => sum + names.length, 0)
}

function namesOf(superValidators: readonly ExaminedSuperValidator[]): string {
  return joinedWithAnd(superValidators.map(({ names }) => names.join(', ')))
}

function isUnconfirmed({ steps: { dso, synchronizer } }: ExaminedSuperValidator): boolean {
  const findings = [dso, synchronizer]
  return (
    findings.some(({ word }) => word === unconfirmed) &&
    findings.every(({ outcome, word }) => outcome === 'ok' || word === unconfirmed)
  )
}

function isWell(one: ExaminedSuperValidator): boolean {
  return failedSteps(one).length === 0
}

function failedSteps({ steps: findings }: ExaminedSuperValidator): readonly StepId[] {
  return steps.filter((step) => findings[step].outcome === 'failed')
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
