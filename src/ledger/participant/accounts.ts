import { LRUCache } from 'lru-cache'
import { digest } from '../../lib/digest.ts'
import { LedgerRefusal } from '../ledger.ts'
import { understand, user } from './answers.ts'
import { endOf, type Participant } from './participant.ts'
import type { ParticipantUser } from './participant-ledger.ts'
import type { TokenReader } from './requests.ts'

/** An accepted token is not checked again for this long. The participant still checks the rights of each read. */
const takenMs = 30_000
const mostTaken = 10_000

/** Asks the participant to check a token, before any other part of the request is checked. */
export class Admission {
  readonly #participant: Participant
  /** The times until which tokens count as accepted, by the tokens' digests. */
  readonly #taken = new LRUCache<string, number>({ max: mostTaken })

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /**
   * Checks a token.
   * @throws LedgerRefusal if the participant refuses the token, LedgerUnavailable; the signal's reason.
   */
  async admit(token: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#participant
    const key = digest(token)
    if (clock.now() < (this.#taken.get(key) ?? Number.NEGATIVE_INFINITY)) return
    await this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, endOf, signal)
    this.#taken.set(key, clock.now() + takenMs)
  }
}

/**
 * Finds the participant's user of a token, with the user's primary party. Undefined if the user has none. If the
 * participant checks no tokens, it is the user with the reader's `userId`.
 * @throws LedgerRefusal, LedgerUnavailable; the signal's reason.
 */
export async function accountOf(
  participant: Participant,
  { userId, token }: TokenReader,
  signal: AbortSignal,
): Promise<ParticipantUser | undefined> {
  const ask = (path: string) =>
    participant.read({ method: 'GET', path, token }, (value) => understand(user, value).user, signal)
  const account = await ask('/v2/authenticated-user').catch((error: unknown) => {
    if (!(error instanceof LedgerRefusal) || error.error.code !== 'INVALID_TOKEN') throw error
    return ask(`/v2/users/${encodeURIComponent(userId)}`)
  })
  return account.primaryParty === undefined
    ? undefined
    : { userId: account.id, token, party: account.primaryParty }
}
