import type { Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import type { LedgerReach } from './ledger-time.ts'
import { MirroredAnswers } from './mirrored-answers.ts'
import type { MirroredName } from './mirrored-names.ts'

/** The time at which a question is asked, and the age that its answer may have. */
export interface BindingMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /** The answer must be true at this time or later: milliseconds since 1970. */
  readonly notBefore: number | undefined
}

/** Answers lookups with mirrored entries, which bind their names to owners until they expire. */
export class Bindings {
  readonly #answers = new MirroredAnswers()
  readonly #lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime
  }

  /** Returns undefined if there is no entry, or if it has expired or is older than `notBefore`. */
  answer(row: MirroredName | undefined, { moment, reach, notBefore }: BindingMoment): Served | undefined {
    if (row === undefined || reach.reached >= row.endsAt) return undefined
    const { asOf } = row.source
    if (notBefore !== undefined && asOf.at < notBefore) return undefined
    return {
      answer: this.#answers.of(row),
      agreedAt: moment.now,
      how: 'mirror',
      stored: true,
      lifetime: this.#lifetime,
      asOf,
    }
  }
}
