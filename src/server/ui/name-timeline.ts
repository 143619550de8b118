import { SpliceError } from '../../base/errors/splice.ts'
import { valueAt } from '../../base/lib/value-at.ts'
import { getAnsRules } from '../../core/reads/ans.ts'
import type { Question } from '../../core/reads/read.ts'
import type { Entry, NameEvent } from './model.ts'

export interface HistoryDeps {
  readonly agreed: (question: Question) => Promise<unknown>
  /**
   * Returns the events that the embedded ledger recorded since this process started, oldest first.
   * Undefined if there is no embedded ledger.
   */
  readonly past: ((name: string) => Promise<readonly NameEvent[]>) | undefined
  readonly networkMs: () => number
}

/**
 * Lists the past and future events of a name, in order. If the ledger recorded none, the last
 * registration or renewal is computed: the entry's expiry minus the lifetime in the agreed rules.
 */
export async function historyOf(
  name: string,
  entry: Pick<Entry, 'expires_at'> | undefined,
  { agreed, past, networkMs }: HistoryDeps,
): Promise<readonly NameEvent[]> {
  const known = (await past?.(name)) ?? []
  const expires = Date.parse(entry?.expires_at ?? '')
  if (Number.isNaN(expires)) return known
  const { lifetimeMs, renewalMs } = (await lifeOf(agreed)) ?? {}
  const events: readonly NameEvent[] = [
    ...known,
    ...(known.length > 0 || lifetimeMs === undefined ? [] : [eventAt('begun', expires - lifetimeMs)]),
    ...(renewalMs === undefined ? [] : [eventAt('renewable', expires - renewalMs)]),
    eventAt(expires < networkMs() ? 'expired' : 'expires', expires),
  ]
  return events.toSorted((a, b) => (a.at < b.at ? -1 : 1))
}

function eventAt(what: NameEvent['what'], ms: number): NameEvent {
  return { what, at: new Date(ms).toISOString() }
}

async function lifeOf(agreed: HistoryDeps['agreed']) {
  try {
    const rules = await agreed({ read: getAnsRules, params: {} })
    const config = valueAt(rules, ['ans_rules_update', 'contract', 'payload', 'config'])
    return {
      lifetimeMs: msOf(valueAt(config, ['entryLifetime', 'microseconds'])),
      renewalMs: msOf(valueAt(config, ['renewalDuration', 'microseconds'])),
    }
  } catch (error) {
    if (error instanceof SpliceError) return undefined
    throw error
  }
}

function msOf(microseconds: unknown): number | undefined {
  const ms = Number(microseconds) / 1000
  return Number.isFinite(ms) ? ms : undefined
}
