import { LRUCache } from 'lru-cache'
import { digest } from '../../lib/digest.ts'
import { LedgerRefusal } from '../ledger.ts'
import { understand, user } from './answers.ts'
import { endOf, type Participant } from './participant.ts'
import type { ParticipantUser } from './participant-ledger.ts'
import type { TokenReader } from './requests.ts'

/** How long an accepted token is not checked again. The participant still checks the rights of each read. */
const takenMs = 30_000
const mostTaken = 10_000

/** Lets the participant check a token before any other part of the request is checked. */
export class Admission {
  readonly #participant: Participant
  /** When the acceptance of a token ends, by the token's digest. */
  readonly #taken = new LRUCache<string, number>({ max: mostTaken })

  constructor(participant: Participant) {
    this.#participant = participant
  }

  /** @throws LedgerRefusal for a token that the participant refuses, LedgerUnavailable; the signal's reason. */
  async admit(token: string, signal: AbortSignal): Promise<void> {
    const { clock } = this.#participant
    const key = digest(token)
    if (clock.now() < (this.#taken.get(key) ?? Number.NEGATIVE_INFINITY)) return
    await this.#participant.read({ method: 'GET', path: '/v2/state/ledger-end', token }, endOf, signal)
    this.#taken.set(key, clock.now() + takenMs)
  }
}

/**
 * The participant's user behind a token, and the party that it acts as: its primary one. Undefined if it has none.
 * A participant that checks no tokens has no user behind them; the reader's id stands for it then.
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
