import type { Ledger } from '../ledger/ledger.ts'
import type { TouchedName } from '../ledger/update.ts'

/** The submitter gets the outcome of the commit only after this call of `tell`. */
export function changedNames(
  ledger: Pick<Ledger, 'watch'>,
  tell: (names: readonly TouchedName[]) => void,
): () => void {
  return ledger.watch(({ names }) => {
    if (names.length > 0) tell(names)
  })
}
