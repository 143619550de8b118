import type { Ledger } from '../ledger/ledger.ts'
import type { TouchedName } from '../ledger/update.ts'

/**
 * Calls `tell` with the names that a commit creates, renews or archives, before the submitter gets the outcome of the
 * commit. Returns a function that ends these calls.
 */
export function changedNames(
  ledger: Pick<Ledger, 'watch'>,
  tell: (names: readonly TouchedName[]) => void,
): () => void {
  return ledger.watch(({ names }) => {
    if (names.length > 0) tell(names)
  })
}
