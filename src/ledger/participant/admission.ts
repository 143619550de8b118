import { LRUCache } from 'lru-cache'
import { digest } from '../../lib/digest.ts'
import { ledgerEnd, type Participant } from './participant.ts'

/** For so long a token that the participant took is not asked about again; each read is judged by itself all the same. */
const takenMs = 30_000
const mostTaken = 10_000

/** Asks the participant about tokens, so that nothing else of a request is looked at before. */
export class Admission {
  readonly #participant: Participant
  /** Until when, by the digest of the token. */
  readonly #taken = new LRUCache<string, number>({ max: mostTaken })

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /** @throws LedgerRefusal for a token that the participant refuses, LedgerUnavailable; the signal's reason. */
  async admit(token: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#participant
    const key = digest(token)
    if (clock.now() < (this.#taken.get(key) ?? Number.NEGATIVE_INFINITY)) return
    await this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, ledgerEnd, signal)
    this.#taken.set(key, clock.now() + takenMs)
  }
}
