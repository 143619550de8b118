import { releaseIn } from '../core/reads/releases.ts'
import { connectionFindings, failed, ok, skipped } from './connection-findings.ts'
import type { Observation, QuestionOutcome } from './observation.ts'
import { confirmedIn, type Majority, type OtherScans } from './other-scans.ts'
import type { StepFinding, StepId } from './report.ts'
import { quotable, showSpan, showTime } from './texts.ts'

/**
 * A scan further behind the others than this fails the step `head`. The daemon asks a dissenting
 * scan again for only 60 s, so it may count such a lag as a contradiction.
 */
const lateMs = 60_000
/**
 * A history that begins this much later than those of the other scans fails the step `history`.
 * Smaller differences are normal, because scans prune at different times.
 */
const prunedMs = 3_600_000
/**
 * If a scan still lacks the latest snapshot this long after the snapshot's time, the scan fails the
 * step `snapshot`. Scans need minutes to make a snapshot.
 */
const snapshotMs = 1_800_000

/**
 * Judges each step of one scan, partly by comparison with the other scans.
 * @param at the time of the report, in milliseconds since 1970.
 */
export function findingsOf(
  seen: Observation,
  others: OtherScans,
  at: number,
): Readonly<Record<StepId, StepFinding>> {
  const version = versionOf(seen.version)
  // If a later question fails in the same way as the question for the version, only the step
  // `version` reports it.
  const once = (finding: StepFinding) =>
    version.outcome === 'failed' && finding.outcome === 'failed' && finding.word === version.word
      ? skipped
      : finding
  return {
    ...connectionFindings(seen, at),
    version,
    dso: once(memberOf(seen.dso, others.dso, 'DSO')),
    synchronizer: once(memberOf(seen.synchronizer, others.synchronizer, 'synchronizer')),
    head: once(headOf(seen, others)),
    snapshot: once(snapshotOf(seen.snapshot, others.snapshotAt, at)),
    history: once(historyOf(seen, others.beginsAt)),
  }
}

function versionOf(asked: QuestionOutcome<string>): StepFinding {
  if (asked.kind !== 'said') return unanswered(asked, '/version')
  const release = releaseIn(asked.value)
  if (release === undefined)
    return { outcome: 'unknown', word: '?', detail: `It names no release, but "${quotable(asked.value)}".` }
  const [numbers = '?'] = release.split(/[-+]/, 1)
  return ok('', numbers.slice(0, 7))
}

function memberOf(asked: QuestionOutcome<string>, majority: Majority, what: string): StepFinding {
  if (asked.kind !== 'said') return unanswered(asked, `the question for the ${what}`)
  const { value, saidBy, of } = majority
  if (asked.value === value) return confirmedIn(majority) === undefined ? notConfirmed(majority, what) : ok()
  const told = `It names the ${what} ${quotable(asked.value)}`
  if (value === undefined)
    return failed('split', `${told}, and no ${what} is named by more scans than any other.`)
  if (saidBy === 0) return failed('other', `${told}; configured is ${quotable(value)}.`)
  return failed(
    'other',
    `${told}; ${saidBy} of ${of} name ${quotable(value)}. It belongs to another network, or it lies.`,
  )
}

export const unconfirmed = 'unconf.'

function notConfirmed({ value = '', saidBy, needed }: Majority, what: string): StepFinding {
  const detail = `Not confirmed: ${saidBy} of the ${needed} scans that must say it name the ${what} ${quotable(value)}.`
  return { outcome: 'unknown', word: unconfirmed, detail }
}

function headOf({ progress }: Observation, others: OtherScans): StepFinding {
  if (progress.kind !== 'said') return untold(progress, 'how far it has followed the ledger')
  if (progress.value === null) return failed('none', 'It has no updates of the ledger yet.')
  const behindMs = others.behindMs(progress.value)
  const behind = `Its last update is of ${showTime(progress.value.headAt)}, ${showSpan(behindMs)} behind the others.`
  return behindMs > lateMs ? failed(shortSpan(behindMs), behind) : ok(behindMs < 1000 ? '' : behind)
}

function shortSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `-${minutes}min`
  return minutes < 2880
    ? `-${Math.floor(minutes / 60)}h`
    : `-${Math.min(99_999, Math.floor(minutes / 1440))}d`
}

function snapshotOf(
  asked: QuestionOutcome<number | null>,
  latest: number | undefined,
  now: number,
): StepFinding {
  if (asked.kind !== 'said') return untold(asked, 'which snapshot is its latest')
  const at = asked.value
  if (latest === undefined)
    return ok(at === null ? 'No scan has a snapshot yet.' : `Its latest snapshot is of ${showTime(at)}.`)
  const others = `the others have one of ${showTime(latest)}.`
  if (at === null) return failed('none', `It has no snapshot; ${others}`)
  if (at >= latest) return ok(`Its latest snapshot is of ${showTime(at)}.`)
  const behind = `Its latest snapshot is of ${showTime(at)}; ${others}`
  return now - latest < snapshotMs ? ok(behind) : failed('old', behind)
}

function historyOf({ complete, progress }: Observation, beginsAt: number | undefined): StepFinding {
  if (complete.kind !== 'said') return untold(complete, 'whether its history is complete')
  if (!complete.value)
    return failed('loading', 'It has not loaded all history yet, and cannot answer questions about the past.')
  const own = progress.kind === 'said' ? progress.value?.beginsAt : undefined
  if (own === undefined || beginsAt === undefined) return ok()
  if (own - beginsAt <= prunedMs) return ok()
  return failed(
    'pruned',
    `Its history begins at ${showTime(own)}; that of the others at ${showTime(beginsAt)}.`,
  )
}

/**
 * Returns the finding for a question that got no value. The status 404 or 501 makes the outcome
 * `unknown`, not `failed`, because an older release may lack the path.
 */
function untold(asked: Exclude<QuestionOutcome<unknown>, { kind: 'said' }>, what: string): StepFinding {
  if (asked.kind === 'status' && (asked.status === 404 || asked.status === 501))
    return { outcome: 'unknown', word: '?', detail: `It does not say ${what}.` }
  return unanswered(asked, `the question ${what}`)
}

function unanswered(asked: Exclude<QuestionOutcome<unknown>, { kind: 'said' }>, what: string): StepFinding {
  switch (asked.kind) {
    case 'not-asked':
      return skipped
    case 'misshapen':
      return failed('shape', `Its answer to ${what} is not what Splice's Scan API says.`)
    case 'fault':
      return failed(
        faultWords[asked.fault] ?? 'error',
        `It does not answer ${what}: ${quotable(asked.detail)}.`,
      )
    case 'status':
      return failed(String(asked.status), statusSentence(asked, what))
  }
}

const faultWords: Readonly<Record<string, string>> = {
  timeout: 'timeout',
  reset: 'reset',
  truncated: 'cut off',
  oversized: 'long',
  'not-json': 'no JSON',
  unreachable: 'no conn',
  blocked: 'blocked',
  busy: 'no room',
  'held-back': 'limited',
}

function statusSentence(
  { status, text }: Extract<QuestionOutcome<unknown>, { kind: 'status' }>,
  what: string,
): string {
  const quoted = quotable(text)
  const said = quoted === '' ? ' without a text' : `: "${quoted}"`
  const answer = `It answers ${status} to ${what}${said}.`
  if (status === 403 || status === 401)
    return `${answer} Most likely this machine's address is not on its allow-list.`
  if (status === 429) return `${answer} It limits how often this machine's address may ask.`
  if (status >= 300 && status < 400) return `${answer} The daemon follows no redirect.`
  if (status > 500) return `${answer} Its scan is down behind its ingress, or overloaded.`
  return answer
}
