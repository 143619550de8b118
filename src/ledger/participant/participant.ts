import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { ledgerEnd, understand } from './answers.ts'
import type { ApiRequest, Frames, JsonApi } from './json-api.ts'
import { answered, mayPass } from './refusals.ts'
import type { LedgerEnd, TokenReader } from './requests.ts'
import { Tries } from './retry.ts'

/** The maximum number of times that a read is sent if it fails for temporary reasons. */
export const mostTries = 4

/** Sends reads to a participant. */
export class Participant {
  readonly api: JsonApi
  readonly clock: Clock

  constructor(api: JsonApi, clock: Clock) {
    this.api = api
    this.clock = clock
  }

  /**
   * Sends a read, and decodes the response with `understand`. A read that fails for a temporary reason
   * (`mayPass`) is sent again, up to `mostTries` times in all. A response for which `understand` throws
   * `Garbage` counts as such a failure.
   * @throws LedgerRefusal, LedgerUnavailable, TooLarge, or the signal's reason.
   */
  async read<T>(request: ApiRequest, understand: (value: unknown) => T, signal: AbortSignal): Promise<T> {
    const tries = new Tries(mostTries, this.clock)
    for (;;) {
      try {
        return understand(answered(await this.api.call(request, signal)))
      } catch (error) {
        if (signal.aborted || !mayPass(error)) throw error
        await tries.failed(error, signal)
      }
    }
  }

  /**
   * Opens a stream on a websocket. If the participant rejects the handshake, undici does not tell why. This
   * method then reads the ledger's end with the same token: the participant usually rejects that request too,
   * and states the reason. If that request succeeds, the method throws the error of the handshake.
   */
  async open(path: string, request: unknown, { token }: TokenReader, signal: AbortSignal): Promise<Frames> {
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
  return understand(ledgerEnd, value)
}
