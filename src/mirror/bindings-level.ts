import type { Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import { BindingAnswers } from './binding-answers.ts'
import type { LedgerReach } from './ledger-time.ts'
import type { MirroredName } from './mirrored-names.ts'

export interface BindingMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /**
   * The answer must be true at this time or later: milliseconds since 1970. With undefined, the
   * caller accepts an answer of any age.
   */
  readonly notBefore: number | undefined
}

/**
 * Level `bindings` of the mirror answers lookups by name from a snapshot. An entry binds its name
 * to its owner until the entry expires.
 */
export class BindingsLevel {
  readonly #answers = new BindingAnswers()
  readonly #lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime
  }

  answer(row: MirroredName | undefined, { moment, reach, notBefore }: BindingMoment): Served | undefined {
    if (row === undefined || reach.reached >= row.endsAt) return undefined
    const { asOf } = row.source
    if (notBefore !== undefined && asOf.at < notBefore) return undefined
    return {
      answer: this.#answers.of(row),
      agreedAt: moment,
      how: 'mirror',
      stored: true,
      lifetime: this.#lifetime,
      asOf,
    }
  }
}
