import { expect } from 'vitest'
import type { Served } from '../../src/core/cache/answers.ts'
import { endMarginMs } from '../../src/core/guard/floors.ts'
import { lookupAnsEntryByName } from '../../src/core/reads/ans.ts'
import { instantKey } from '../../src/core/reads/instant.ts'
import type { Question } from '../../src/core/reads/read.ts'
import { expiryOf } from '../../src/mirror/continuity.ts'
import type { MirroredEntry } from '../../src/mirror/mirrored-contracts.ts'
import type { NameBooks } from './day-books.ts'

/**
 * Checks that no answer about a name, whichever part gave it, is older than one that was served before, also before a
 * restart.
 */
export class DayFloors {
  readonly #books: NameBooks
  readonly #served = new Map<string, MirroredEntry>()

  constructor(books: NameBooks) {
    this.#books = books
  }

  /**
   * @param time the true time, and the latest time that the daemon's clock has ever shown. A floor ends a minute before
   * its entry does, by each of the two.
   */
  check(
    { read, params }: Question,
    { answer, how }: Served,
    time: { readonly now: number; readonly seen: number },
  ): void {
    const { name = '' } = params
    if (read.id !== lookupAnsEntryByName.id) return
    const { entry } = JSON.parse(answer.body.toString()) as { entry?: MirroredEntry }
    const before = this.#served.get(name)
    const about = JSON.stringify({ how, ...time, before, answer: entry ?? answer.status })
    if (before !== undefined && this.#isInForce(before, time)) {
      expect(entry, about).toBeDefined()
      if (entry !== undefined) expect(versionOf(entry) >= versionOf(before), about).toBe(true)
    }
    if (entry?.contract_id == null) this.#served.delete(name)
    else this.#served.set(name, entry)
  }

  #isInForce(entry: MirroredEntry, { now, seen }: { readonly now: number; readonly seen: number }): boolean {
    return Math.max(now, seen) < expiryOf(entry) - endMarginMs && !this.#books.isWithdrawn(entry)
  }
}

function versionOf({ expires_at }: MirroredEntry): string {
  return instantKey(expires_at)
}
