import { isLoopbackHost } from '../lib/loopback.ts'
import { parseJsonText } from '../lib/parse-json-text.ts'
import type { Logger } from '../telemetry/logger.ts'

/**
 * Deletes the updates up to an offset, and resolves with the last deleted offset. That can be lower
 * than `upTo`, because a ledger keeps its last update.
 */
export type Prune = (upTo: number) => Promise<number>

export interface Pruning {
  readonly prune: Prune | undefined
  readonly fromAnywhere: boolean
  readonly logger: Pick<Logger, 'warn'>
}

export interface PruneCall {
  readonly from: string | undefined
  readonly body: () => Promise<string>
}

interface PruneAnswer {
  readonly status: 200 | 400 | 403 | 501
  readonly body: object
}

/** Every call is logged, because pruning cannot be undone. */
export async function pruneAnswer(
  { prune, fromAnywhere, logger }: Pruning,
  { from, body }: PruneCall,
): Promise<PruneAnswer> {
  let upTo: number | undefined
  const tell = (outcome: string, fields = {}) =>
    logger.warn({ from, upTo, outcome, ...fields }, 'an operator prunes the ledger')
  if (!fromAnywhere && !isLoopbackHost(from ?? '')) {
    tell('refused')
    const error = 'Only this machine may prune the ledger unless operations.admin is true.'
    return { status: 403, body: { error } }
  }
  try {
    const text = await body()
    if (prune === undefined) {
      tell('no ledger')
      return { status: 501, body: { error: 'This daemon has no ledger of its own to prune.' } }
    }
    upTo = offsetIn(text)
    if (upTo === undefined) {
      tell('malformed')
      return { status: 400, body: { error: 'The body is no {"upTo": <offset of at least 1>}.' } }
    }
    const prunedUpTo = await prune(upTo)
    tell('pruned', { prunedUpTo })
    return { status: 200, body: { prunedUpTo } }
  } catch (error) {
    tell('failed', { error: String(error) })
    throw error
  }
}

function offsetIn(body: string): number | undefined {
  try {
    const { upTo } = parseJsonText(body) as { readonly upTo?: unknown }
    return typeof upTo === 'number' && Number.isSafeInteger(upTo) && upTo > 0 ? upTo : undefined
  } catch {
    return undefined
  }
}
