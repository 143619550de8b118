import type { Random } from '../../src/base/lib/random.ts'
import { gridAfter } from '../../src/mirror/snapshot-grid.ts'
import type { ManualClock } from '../support/manual-clock.ts'
import type { DayLedger } from './day-ledger.ts'
import { hourMs } from './mirrored.ts'
import { pick } from './random.ts'

export interface DayWritesDeps {
  readonly clock: ManualClock
  readonly ledger: DayLedger
  readonly random: Random
  readonly names: readonly string[]
  readonly wrote: (what: string) => void
}

const minuteMs = 60_000

/** Writes random names. Many entries expire near an instant of the grid. */
export class DayWrites {
  readonly #deps: DayWritesDeps
  #withdrawnAt = 0

  constructor(deps: DayWritesDeps) {
    this.#deps = deps
  }

  async write(): Promise<void> {
    const { ledger, clock, random, names, wrote } = this.#deps
    const name = pick(random, names)
    const held = ledger.holder(name)
    if (held === undefined) return this.register(name)
    const now = clock.wall()
    // A mirror rejects a snapshot that lacks more than one unexpired name of the snapshot before. So six hours, two
    // periods of the grid, pass between two withdrawals.
    if (random() < 0.12 && now > this.#withdrawnAt + 6 * hourMs) {
      this.#withdrawnAt = now
      await ledger.withdraw(held)
      return wrote('withdrawn')
    }
    await ledger.renew(held, Math.ceil(this.#lifeMs() * 1_000))
    wrote('renewed')
  }

  async register(name: string): Promise<void> {
    const { ledger, clock, random, wrote } = this.#deps
    const expiresAt = Math.ceil((clock.wall() + this.#lifeMs()) * 1_000)
    await ledger.register(name, pick(random, ledger.users), expiresAt)
    wrote('registered')
  }

  #lifeMs(): number {
    const { clock, random } = this.#deps
    const chance = random()
    if (chance < 0.3) return 10 * minuteMs + random() * 4 * hourMs
    if (chance < 0.5) return 100 * hourMs
    const now = clock.wall()
    const near = pick(random, [-90_000, -1_000, -0.001, 0, 0.001, 1, 59_000, 130_000])
    return Math.max(minuteMs, gridAfter(now + Math.floor(random() * 3) * 3 * hourMs) - now + near)
  }
}
