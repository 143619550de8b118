import { type Counter, kept } from './instruments.ts'
import { type AskOutcome, isFault, type Label, labelValues, type VoteLabel } from './label-values.ts'
import { elapsed, Outages } from './outages.ts'
import type { Reachability, RosterState } from './roster-events.ts'
import type { TelemetryParts } from './telemetry-parts.ts'

export interface SuperValidatorEvents {
  /** @param read absent for a request that the daemon made for itself. */
  asked(outcome: AskOutcome, seconds: number, read?: string): void
  /** A dissenting vote is not counted here, but by `recheckFiled` after a second look at it. */
  voted(read: string, vote: VoteLabel, agoMs?: number): void
}

const filings = {
  dissent: { level: 'warn', said: 'a super validator contradicts the quorum' },
  split: {
    level: 'info',
    said: 'a super validator is one of several that give another answer than the quorum',
  },
  unchecked: {
    level: 'warn',
    said: 'a super validator contradicted the quorum, and nothing could be learnt by asking again',
  },
} as const

const newerRelease = 'a scan is of a newer Splice than this daemon knows'

/**
 * Ignores the events of a scan outside the roster, for example the late reply of a former super
 * validator.
 */
const ignoredEvents: SuperValidatorEvents = { asked() {}, voted() {} }

export function superValidatorEvents(parts: TelemetryParts) {
  const { metrics, logger, lastHour, limited, quietly, summary, outages, roster } = parts
  const handles = new Map<string, SuperValidatorEvents>()
  const members = new Set<string>()
  const known = (sv: string) => handles.get(sv) ?? eventsOf(sv, members, parts)
  const admit = (sv: string): SuperValidatorEvents => {
    if (members.size > 0 && !members.has(sv)) return ignoredEvents
    const isAdmitted = metrics.admitSv(sv)
    const handle = known(sv)
    if (isAdmitted) handles.set(sv, handle)
    return handle
  }
  const forget = (sv: string) => {
    metrics.removeSv(sv)
    handles.delete(sv)
    outages.forget(sv)
  }
  return {
    /** The returned object looks up each counter only once. */
    forSuperValidator: (sv: string) => handles.get(sv) ?? admit(sv),
    /**
     * Reports a request that asks a scan who the super validators are. Once the daemon knows the
     * super validators, requests to other scans are ignored.
     */
    scanAsked: quietly((sv: string, outcome: AskOutcome, seconds: number) => {
      const handle = metrics.superValidators.has(sv) ? known(sv) : admit(sv)
      handle.asked(outcome, seconds)
    }),
    /**
     * Reports what a second look at a dissenting vote found (quorum.md#lag-is-not-a-lie), and counts
     * the vote.
     */
    recheckFiled: quietly((sv: string, read: string, filedAs: Label<'recheck'>, agoMs?: number) => {
      metrics.rechecks_total.with({ outcome: filedAs }).inc()
      known(sv).voted(read, filedAs, agoMs)
      if (filedAs === 'lag') return logger.debug({ sv, read }, 'a super validator lagged behind')
      if (filedAs === 'ahead')
        return logger.debug({ sv, read }, 'a super validator was ahead of an agreed answer')
      summary.count('contradictions', sv, filedAs)
      const { level, said } = filings[filedAs]
      limited.write(level, `${sv} ${read} ${filedAs}`, { sv, read, evidence: evidencePath(sv, read) }, said)
    }),
    dissentsPending: quietly((sv: string, count: number) => metrics.dissents_pending.with({ sv }).set(count)),
    /** @param standing how the release of Splice that a scan names compares with those known. */
    releaseNamed: quietly((sv: string, standing: Label<'standing'>, release: string | undefined) => {
      const { scan_release_info: info } = metrics
      const before = [...info.children].find(({ labels }) => labels.sv === sv)?.labels.standing
      if (before === standing) return
      info.remove('sv', sv)
      info.with({ sv, standing }).set(1)
      if (standing === 'newer') limited.write('warn', sv, { sv, release }, newerRelease)
    }),
    rosterTaken: quietly((state: RosterState) => {
      const names = new Set(state.members.map(({ name }) => name))
      lastHour?.keep(names)
      for (const sv of metrics.superValidators) if (!names.has(sv)) forget(sv)
      members.clear()
      for (const { name, operator } of state.members) {
        members.add(name)
        metrics.admitSv(name, operator)
      }
      roster.taken(state)
    }),
    reachabilityChanged: quietly((reachability: Reachability) => roster.reachable(reachability)),
  }
}

function evidencePath(sv: string, read: string): string {
  return `/evidence?${new URLSearchParams({ sv, read })}`
}

/**
 * Faults of a scan that is no known super validator are counted but not logged: the line about the
 * missing roster reports them.
 */
function eventsOf(
  sv: string,
  members: ReadonlySet<string>,
  { metrics, clock, lastHour, quietly, summary, outages }: TelemetryParts,
): SuperValidatorEvents {
  let heardAt: number | undefined
  const heard = () => {
    const isFirst = heardAt === undefined
    heardAt = clock.now()
    if (isFirst)
      metrics.scan_silent_seconds.with({ sv }).readFrom(() => (clock.now() - (heardAt ?? 0)) / 1000)
  }
  const asks = kept(
    (outcome: AskOutcome) => ({
      requests: metrics.scan_requests_total.with({ sv, outcome }),
      duration: metrics.scan_request_duration_seconds.with({ sv, outcome }),
    }),
    (outcome) => knownOutcomes.has(outcome),
  )
  // The counters of all votes begin together at 0. Prometheus notices only increases, so it would
  // miss the first dissent if that counter began at 1.
  const ballots = kept(
    (read: string) =>
      Object.fromEntries(
        labelValues.vote.map((vote) => [vote, metrics.votes_total.with({ sv, read, vote })]),
      ) as Record<VoteLabel, Counter>,
    (read) => metrics.reads.has(read),
  )
  return {
    asked: quietly((outcome, seconds, read) => {
      const { requests, duration } = asks(outcome)
      requests.inc()
      duration.observe(seconds)
      lastHour?.asked(sv, outcome, seconds)
      if (!isFault(outcome)) {
        heard()
        outages.worked(sv)
      } else if (members.has(sv)) {
        summary.count('faults', sv, outcome)
        if (!isOwnLimit(outcome)) outages.failed(sv, { fault: outcome, ...(read && { read }) })
      }
    }),
    voted: quietly((read, vote, agoMs) => {
      ballots(read)[vote].inc()
      lastHour?.voted(sv, vote, agoMs)
    }),
  }
}

export function superValidatorOutages({ clock, logger }: Pick<TelemetryParts, 'clock' | 'logger'>): Outages {
  return new Outages(clock, {
    began: (sv, fault) => logger.warn({ sv, ...fault }, 'a super validator gives no usable answer'),
    ended: (sv, ms) => {
      const afterSeconds = Math.round(ms / 1000)
      logger.warn({ sv, afterSeconds }, `a super validator answers again after ${elapsed(ms)}`)
    },
  })
}

/**
 * This daemon was at its own limit (`busy`), or may not ask the scan at present (`held-back`). Such
 * a fault is no outage of the super validator.
 */
function isOwnLimit(fault: AskOutcome): boolean {
  return fault === 'busy' || fault === 'held-back'
}

const knownOutcomes: ReadonlySet<string> = new Set(labelValues.ask)
