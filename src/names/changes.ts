import type { Ledger } from '../ledger/ledger.ts'
import type { TouchedName } from '../ledger/update.ts'

/**
 * Tells of every name that is created, renewed or archived, before the submitter hears of it. Returns how to stop it.
 */
export function changedNames(
  ledger: Pick<Ledger, 'watch'>,
  tell: (names: readonly TouchedName[]) => void,
): () => void {
  return ledger.watch(({ names }) => {
    if (names.length > 0) tell(names)
  })
}
