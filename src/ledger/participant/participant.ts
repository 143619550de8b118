import type { Clock } from '../../lib/clock.ts'
import type { ApiRequest, JsonApi } from './json-api.ts'
import { asObject, isObject, textIn, wholeIn } from './reading.ts'
import { answered, mayPass } from './refusals.ts'
import type { LedgerEnd } from './requests.ts'
import { Tries } from './retry.ts'

/** How often something is tried that says nothing of the request when it fails. */
export const mostTries = 4

/** A participant as far as anything may be asked again: reads. */
export class Participant {
  readonly api: JsonApi
  readonly clock: Clock

  constructor(api: JsonApi, clock: Clock) {
    this.api = api
    this.clock = clock
  }

  /**
   * The answer to a read, as `understand` takes it: what this throws for nonsense is a reason to ask again.
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
}

/** `GetLedgerEndResponse`; versions before 3.6 tell no times. */
export function ledgerEnd(value: unknown): LedgerEnd {
  const answer = asObject(value)
  const offset = wholeIn(answer, 'offset')
  const times = answer['synchronizerTimes']
  if (!Array.isArray(times)) return { offset, synchronizerTimes: [] }
  const synchronizerTimes = times.filter(isObject).map((time) => ({
    synchronizerId: textIn(time, 'synchronizerId'),
    recordTime: textIn(time, 'recordTime'),
  }))
  return { offset, synchronizerTimes }
}
