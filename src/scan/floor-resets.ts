import type { RollbackGuard } from '../guard/rollback-guard.ts'
import { lookupAnsEntryByName } from '../reads/ans.ts'
import type { Discovery } from './discovery.ts'
import { floorIdOf } from './rollback-check.ts'

/**
 * Removes floors. A floor is the age of an answer that was served: later answers to the same
 * question must not be older.
 */
export interface FloorResets {
  /**
   * Resolves with false while the daemon has no roster, because the key of a floor depends on the
   * roster.
   */
  endOfName(name: string): Promise<boolean>
  endKey(key: string): Promise<boolean>
}

export function floorResets(guard: RollbackGuard, discovery: Pick<Discovery, 'roster'>): FloorResets {
  return {
    async endOfName(name) {
      const { roster } = discovery
      if (roster === undefined) return false
      const question = { read: lookupAnsEntryByName, params: { name } }
      await guard.reset(floorIdOf(guard.network, question, roster))
      return true
    },
    endKey: async (key) => guard.resetKey(key),
  }
}
