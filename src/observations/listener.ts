import type { Drained } from '../mirror/drain-report.ts'
import type { SnapshotAsked } from '../mirror/snapshot-page.ts'
import type { ReplyObserver } from '../scan/reply-observer.ts'
import { ValueStatement } from '../scan/statement.ts'
import type { SvObservation } from './observation.ts'
import { canState, type ObservedScope, type Stated, statedIn } from './stated.ts'
import { rosterDigest, rosterSubject, snapshotSubject } from './subjects.ts'

export interface ListenerDeps {
  readonly observe: (observation: SvObservation) => void
  /** Called when an observation could not be made, which is a bug. */
  readonly failed: (error: unknown) => void
}

/** Is told of the replies of super validators, and of drained snapshots. */
export interface Listener extends ReplyObserver {
  /** Called when a snapshot was drained from one or more scans. */
  drained(drained: Drained, asked: SnapshotAsked): void
}

/**
 * Makes observations of the replies that the daemon has anyway. Values that the judge thread parsed are left out,
 * because they would have to be parsed again.
 */
export function listenerOf(scope: ObservedScope, { observe, failed }: ListenerDeps): Listener {
  const tell = (names: readonly string[], stated: readonly Stated[]) => {
    for (const sv of names) for (const each of stated) observe({ sv, ...each })
  }
  return {
    closed: harmless(failed, ({ read, plan, ballots, roster }) => {
      if (!canState(read.id, scope)) return
      const known = new Map<string, readonly Stated[]>()
      for (const [index, reply] of plan.heard.entries()) {
        if (reply?.kind !== 'value') continue
        const statement = known.has(reply.vote) ? undefined : ballots.statement(reply.vote)
        if (statement !== undefined)
          known.set(reply.vote, statement instanceof ValueStatement ? statedIn(statement.value, scope) : [])
        tell(roster.voters[index]?.names ?? [], known.get(reply.vote) ?? [])
      }
    }),
    rulesHeard: harmless(failed, ({ names }, rules) => tell(names, statedIn(rules, scope))),
    drained: harmless(failed, (drained, asked) => {
      for (const [index, drain] of drained.drains.entries()) {
        if (drain?.reply.kind !== 'value' || drain.set === undefined) continue
        const stated = [
          { subject: snapshotSubject(asked), digest: drain.reply.vote },
          ...rostersOf(drain.set),
        ]
        tell(drained.roster.voters[index]?.names ?? [], stated)
      }
    }),
  }
}

function rostersOf(set: NonNullable<NonNullable<Drained['drains'][number]>['set']>): readonly Stated[] {
  return set.rows().flatMap(({ contractId, members }) => {
    if (members === undefined) return []
    return { subject: rosterSubject(contractId), digest: rosterDigest(members) }
  })
}

/** Wraps a function so that its errors are reported: a failure to observe must not become the failure of a read. */
function harmless<Args extends unknown[]>(
  failed: (error: unknown) => void,
  hear: (...args: Args) => void,
): (...args: Args) => void {
  return (...args) => {
    try {
      hear(...args)
    } catch (error) {
      failed(error)
    }
  }
}
