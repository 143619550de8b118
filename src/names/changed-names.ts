import type { Ledger } from '../ledger/ledger.ts'
import type { TouchedName } from '../ledger/update.ts'

/**
 * Calls `tell` after each commit that creates, renews or archives entries of names, with these names. The
 * submitter gets the outcome of the commit only after this call. Returns a function that unsubscribes.
 */
export function changedNames(
  ledger: Pick<Ledger, 'watch'>,
  tell: (names: readonly TouchedName[]) => void,
): () => void {
  return ledger.watch(({ names }) => {
    if (names.length > 0) tell(names)
  })
}
