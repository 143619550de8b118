import { LedgerUnavailable } from '../ledger.ts'
import type { Frames } from './json-api.ts'
import type { Participant } from './participant.ts'
import { answered } from './refusals.ts'
import type { Reader } from './requests.ts'

/**
 * Opens a stream on a websocket. A handshake that is refused does not tell why; the ledger's end, asked for with the same
 * token, does.
 */
export async function openStream(
  { api }: Participant,
  path: string,
  request: unknown,
  { token }: Reader,
  signal: AbortSignal,
): Promise<Frames> {
  try {
    return await api.open(path, token, request, signal)
  } catch (error) {
    if (signal.aborted || !(error instanceof LedgerUnavailable)) throw error
    answered(await api.call({ method: 'GET', path: '/v2/state/ledger-end', token }, signal))
    throw error
  }
}
