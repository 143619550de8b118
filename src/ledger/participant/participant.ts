import type { Clock } from '../../lib/clock.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { ledgerEnd, understand } from './answers.ts'
import type { ApiRequest, Frames, JsonApi } from './json-api.ts'
import { answered, mayPass } from './refusals.ts'
import type { LedgerEnd, TokenReader } from './requests.ts'
import { Tries } from './retry.ts'

/** How often a request is tried whose failure does not refer to the request. */
export const mostTries = 4

/** Reads of a participant, which can be repeated after a failure. */
export class Participant {
  readonly api: JsonApi
  readonly clock: Clock

  constructor(api: JsonApi, clock: Clock) {
    this.api = api
    this.clock = clock
  }

  /**
   * The answer to a read, decoded by `understand`. If `understand` throws `Garbage`, the read is tried again.
   * @throws LedgerRefusal, LedgerUnavailable, TooLarge; the signal's reason.
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
   * Opens a stream on a websocket. A refused handshake does not tell why, so the ledger's end is then asked for with the
   * same token, which does.
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
