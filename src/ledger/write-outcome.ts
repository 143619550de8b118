import { LedgerUnavailable } from './ledger.ts'
import { LedgerRefusal } from './refusal.ts'

/**
 * What became of a write: `duplicate` was done before; `unavailable` may be done later, or is not known to be done;
 * `failed` is a mistake of the program.
 */
export type WriteOutcome = 'committed' | 'duplicate' | 'refused' | 'unavailable' | 'failed'

/** Tells what becomes of a write, and passes that on. */
export async function telling<W extends { readonly kind: string; readonly duplicate?: boolean }>(
  tell: (outcome: WriteOutcome) => void,
  write: Promise<W>,
): Promise<W> {
  try {
    const written = await write
    tell(written.kind === 'refused' ? 'refused' : written.duplicate === true ? 'duplicate' : 'committed')
    return written
  } catch (error) {
    tell(outcomeOf(error))
    throw error
  }
}

function outcomeOf(error: unknown): WriteOutcome {
  if (error instanceof LedgerRefusal) return 'refused'
  return error instanceof LedgerUnavailable ? 'unavailable' : 'failed'
}
