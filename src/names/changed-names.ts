import type { Ledger } from '../ledger/ledger.ts'
import type { TouchedName } from '../ledger/update.ts'

/**
 * After each commit that changes names, calls `tell` with these names. The submitter gets the
 * outcome of the commit later than this call.
 */
export function changedNames(
  ledger: Pick<Ledger, 'watch'>,
  tell: (names: readonly TouchedName[]) => void,
): () => void {
  return ledger.watch(({ names }) => {
    if (names.length > 0) tell(names)
  })
}
