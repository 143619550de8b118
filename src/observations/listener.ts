import type { QuorumDrainResult } from '../mirror/drain-report.ts'
import type { SnapshotAsked } from '../mirror/snapshot-page.ts'
import type { Question } from '../reads/read.ts'
import type { Inquiry } from '../scan/inquiry.ts'
import type { ReplyObserver } from '../scan/reply-observer.ts'
import { type Statement, UnparsedValue, ValueStatement } from '../scan/statement.ts'
import type { SvObservation } from './observation.ts'
import {
  canState,
  isWorthParsingAgain,
  type ObservedScope,
  type Stated,
  statedIn,
} from './observed-contracts.ts'
import { rosterDigest, rosterSubject, snapshotSubject } from './subjects.ts'

export interface ListenerDeps {
  readonly observe: (observation: SvObservation) => void
  readonly statedLater: (question: Question, bytes: Uint8Array) => Promise<readonly Stated[]>
  readonly failed: (error: unknown) => void
}

export interface Listener extends ReplyObserver {
  drained(drained: QuorumDrainResult, asked: SnapshotAsked): void
}

/**
 * Derives observations from the replies to reads. Of a long reply, the main thread has only the
 * bytes. Another thread parses long replies to the reads of rules contracts, such as `AmuletRules`.
 * Long replies to other reads give no observations.
 */
export function listenerOf(scope: ObservedScope, { observe, statedLater, failed }: ListenerDeps): Listener {
  const tell = (names: readonly string[], stated: readonly Stated[]) => {
    for (const sv of names) for (const each of stated) observe({ sv, ...each })
  }
  return {
    readClosed: harmless(failed, (inquiry) => {
      const { question } = inquiry
      if (!canState(question.read.id, scope)) return
      for (const [statement, names] of namesByStatement(inquiry)) {
        if (statement instanceof ValueStatement) tell(names, statedIn(statement.value, scope))
        else if (statement instanceof UnparsedValue && isWorthParsingAgain(question.read.id))
          void statedLater(question, statement.bytes).then((stated) => tell(names, stated), failed)
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

/** Groups super validators by the value that they gave, so that equal values are searched once. */
function namesByStatement({ plan, ballots, roster }: Inquiry): ReadonlyMap<Statement, readonly string[]> {
  const names = new Map<Statement, string[]>()
  for (const [index, reply] of plan.heard.entries()) {
    if (reply?.kind !== 'value') continue
    const statement = ballots.statement(reply.vote)
    const alike = names.get(statement) ?? []
    names.set(statement, alike)
    alike.push(...(roster.voters[index]?.names ?? []))
  }
  return names
}

function rostersOf(
  set: NonNullable<NonNullable<QuorumDrainResult['drains'][number]>['set']>,
): readonly Stated[] {
  return set.rows().flatMap(({ contractId, members }) => {
    if (members == null) return []
    return { subject: rosterSubject(contractId), digest: rosterDigest(members) }
  })
}

/** A failed observation must not make a read fail, so errors are reported and not thrown. */
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
