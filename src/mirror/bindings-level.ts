import type { Lifetime } from '../cache/answer.ts'
import type { Served } from '../cache/answers.ts'
import type { Moment } from '../lib/clock.ts'
import { BindingAnswers } from './binding-answers.ts'
import type { LedgerReach } from './ledger-time.ts'
import type { MirroredName } from './mirrored-names.ts'

/** The time at which a caller asks a question, and the oldest answer that the caller accepts. */
export interface BindingMoment {
  readonly moment: Moment
  readonly reach: LedgerReach
  /**
   * The answer must be true at this time or later: milliseconds since 1970. Undefined if the caller accepts
   * an answer of any age.
   */
  readonly notBefore: number | undefined
}

/**
 * Level `bindings` of the mirror: answers lookups by name with mirrored entries. An entry binds its name to
 * its owner until the entry expires.
 */
export class BindingsLevel {
  readonly #answers = new BindingAnswers()
  readonly #lifetime: Lifetime

  constructor(lifetime: Lifetime) {
    this.#lifetime = lifetime
  }

  /**
   * Returns an answer with the mirrored entry of the name that the caller looks up. Undefined if there is no
   * such entry, if the entry has expired, or if it was agreed before `notBefore`.
   */
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
