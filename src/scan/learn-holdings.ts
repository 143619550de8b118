import type { Plan } from '../quorum/plan.ts'
import type { Reply } from '../quorum/reply.ts'
import type { Holding } from '../reads/read.ts'
import type { Connection, Connections } from './connections.ts'

interface HeardReplies {
  readonly plan: Pick<Plan, 'heard'>
  readonly connections: readonly (Connection | undefined)[]
}

/**
 * If the replies to a read differ, asks the scans that replied which part of the history they hold.
 * Some scans may not have loaded the requested part, or may have pruned it.
 */
export function learnHoldings(
  holding: Holding,
  { plan: { heard }, connections }: HeardReplies,
  all: Pick<Connections, 'learn'>,
): void {
  if (!differ(heard.filter(isAboutIt))) return
  for (const [index, reply] of heard.entries()) {
    const connection = connections[index]
    if (isAboutIt(reply) && connection !== undefined) void all.learn(connection, holding)
  }
}

/**
 * Whether the reply may depend on the history that the scan holds. Of the faults, only
 * `server-error` may.
 */
function isAboutIt(reply: Reply | undefined): reply is Reply {
  return reply !== undefined && (reply.kind !== 'fault' || reply.fault === 'server-error')
}

function differ([first, ...others]: readonly Reply[]): boolean {
  return others.some((reply) => reply.kind !== first?.kind || voteOf(reply) !== voteOf(first))
}

function voteOf(reply: Reply): string | undefined {
  return reply.kind === 'value' || reply.kind === 'refusal' ? reply.vote : undefined
}
