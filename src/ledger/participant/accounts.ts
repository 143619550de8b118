import { LRUCache } from 'lru-cache'
import { digest } from '../../lib/digest.ts'
import { LedgerRefusal } from '../ledger.ts'
import type { Party } from '../value.ts'
import { decode, user } from './answers.ts'
import { endOf, type Participant } from './participant.ts'
import type { ParticipantUser } from './participant-ledger.ts'
import type { Credentials } from './requests.ts'

/**
 * An accepted token is not checked again for this time. The participant still checks the token's
 * rights at each read.
 */
const acceptedMs = 30_000
const mostAccepted = 10_000

export class Admission {
  readonly #participant: Participant
  readonly #acceptedUntil = new LRUCache<string, number>({ max: mostAccepted })

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /**
   * @throws LedgerRefusal if the participant rejects the token, LedgerUnavailable, or the signal's
   * reason.
   */
  async admit(token: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#participant
    const key = digest(token)
    if (clock.now() < (this.#acceptedUntil.get(key) ?? Number.NEGATIVE_INFINITY)) return
    await this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, endOf, signal)
    this.#acceptedUntil.set(key, clock.now() + acceptedMs)
  }
}

export async function primaryPartyOf(
  participant: Participant,
  { userId, token }: Credentials,
  signal: AbortSignal,
): Promise<Party | undefined> {
  const path = `/v2/users/${encodeURIComponent(userId)}`
  const found = await participant.read({ method: 'GET', path, token }, (value) => decode(user, value), signal)
  return found.user.primaryParty
}

/**
 * Finds the user to whom the token belongs; undefined if the user has no primary party. A
 * participant that checks no tokens answers `INVALID_TOKEN`. In that case, finds the user with the
 * id `userId`.
 * @throws LedgerRefusal, LedgerUnavailable, or the signal's reason.
 */
export async function accountOf(
  participant: Participant,
  { userId, token }: Credentials,
  signal: AbortSignal,
): Promise<ParticipantUser | undefined> {
  const ask = (path: string) =>
    participant.read({ method: 'GET', path, token }, (value) => decode(user, value).user, signal)
  const account = await ask('/v2/authenticated-user').catch((error: unknown) => {
    if (!(error instanceof LedgerRefusal) || error.error.code !== 'INVALID_TOKEN') throw error
    return ask(`/v2/users/${encodeURIComponent(userId)}`)
  })
  return account.primaryParty === undefined
    ? undefined
    : { userId: account.id, token, party: account.primaryParty }
}
