import { LedgerRefusal } from '../refusal.ts'
import type { Participant } from './participant.ts'
import type { ParticipantUser } from './participant-ledger.ts'
import { asObject, objectIn, optionalText, textIn } from './reading.ts'
import type { Reader } from './requests.ts'

/**
 * The participant's user behind a token, and the party that it acts as: its primary one. Undefined where it has none.
 * A participant that checks no tokens has no user behind them; the reader's id stands for it then.
 * @throws LedgerRefusal, LedgerUnavailable; the signal's reason.
 */
export async function accountOf(
  participant: Participant,
  { userId, token }: Reader,
  signal: AbortSignal,
): Promise<ParticipantUser | undefined> {
  const ask = (path: string) => participant.read({ method: 'GET', path, token }, userIn, signal)
  const user = await ask('/v2/authenticated-user').catch((error: unknown) => {
    if (!(error instanceof LedgerRefusal) || error.error.code !== 'INVALID_TOKEN') throw error
    return ask(`/v2/users/${encodeURIComponent(userId)}`)
  })
  return user.party === undefined ? undefined : { userId: user.id, token, party: user.party }
}

function userIn(value: unknown): { readonly id: string; readonly party: string | undefined } {
  const user = objectIn(asObject(value), 'user')
  return { id: textIn(user, 'id'), party: optionalText(user, 'primaryParty') }
}
