import { LRUCache } from 'lru-cache'
import { digest } from '../../lib/digest.ts'
import { LedgerRefusal } from '../ledger.ts'
import { understand, user } from './answers.ts'
import { endOf, type Participant } from './participant.ts'
import type { ParticipantUser } from './participant-ledger.ts'
import type { TokenReader } from './requests.ts'

/**
 * The time in milliseconds for which an accepted token is not checked again. The participant still checks the
 * token's rights at each read.
 */
const acceptedMs = 30_000
const mostAccepted = 10_000

/** Checks that the participant accepts the token of a caller. This is the first check of every request. */
export class Admission {
  readonly #participant: Participant
  /** For each accepted token, by its digest: the time at which the token must be checked again. */
  readonly #acceptedUntil = new LRUCache<string, number>({ max: mostAccepted })

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /**
   * Resolves if the participant accepts the token.
   * @throws LedgerRefusal if the participant rejects the token, LedgerUnavailable, or the signal's reason.
   */
  async admit(token: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#participant
    const key = digest(token)
    if (clock.now() < (this.#acceptedUntil.get(key) ?? Number.NEGATIVE_INFINITY)) return
    await this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, endOf, signal)
    this.#acceptedUntil.set(key, clock.now() + acceptedMs)
  }
}

/**
 * Finds the participant's user to whom a token belongs, and the user's primary party. Undefined if the user
 * has no primary party. If the participant checks no tokens, finds the user with the id `userId`.
 * @throws LedgerRefusal, LedgerUnavailable, or the signal's reason.
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
