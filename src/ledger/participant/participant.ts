import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { decode, ledgerEnd } from './answers.ts'
import type { ApiRequest, Frames, JsonApi } from './json-api.ts'
import { answered, isTemporary } from './refusals.ts'
import type { Credentials, LedgerEnd } from './requests.ts'
import { Tries } from './retry.ts'

export const mostTries = 4

export class Participant {
  readonly api: JsonApi
  readonly clock: Clock

  constructor(api: JsonApi, clock: Clock) {
    this.api = api
    this.clock = clock
  }

  /**
   * Repeats a read that fails for a temporary reason (`isTemporary`), such as a response for which
   * `decodeValue` throws `MalformedResponse`.
   * @throws LedgerRefusal, LedgerUnavailable, TooLarge, or the signal's reason.
   */
  async read<T>(request: ApiRequest, decodeValue: (value: unknown) => T, signal: AbortSignal): Promise<T> {
    const tries = new Tries(mostTries, this.clock)
    for (;;) {
      try {
        return decodeValue(answered(await this.api.call(request, signal)))
      } catch (error) {
        if (signal.aborted || !isTemporary(error)) throw error
        await tries.failed(error, signal)
      }
    }
  }

  /**
   * Opens a websocket. undici does not tell why a participant rejects the handshake. A plain
   * request with the same token then usually gets the reason.
   */
  async open(path: string, request: unknown, { token }: Credentials, signal: AbortSignal): Promise<Frames> {
    try {
      return await this.api.open(path, token, request, signal)
    } catch (error) {
      if (signal.aborted || !(error instanceof LedgerUnavailable)) throw error
      answered(await this.api.call({ method: 'GET', path: '/v2/state/ledger-end', token }, signal))
      throw error
    }
  }
}

export function endOf(value: unknown): LedgerEnd {
  return decode(ledgerEnd, value)
}
