import type { IncomingMessage } from 'node:http'
import type { Served } from '../cache/answers.ts'
import { type Clock, momentOf } from '../lib/clock.ts'
import {
  commonHeaders,
  type Headers,
  isUnchanged,
  type Surroundings,
  setTimeHeaders,
  stableHeaders,
  type Times,
  timesOf,
  unchangedHeaders,
  unsetTimes,
} from './headers.ts'
import { type Form, isSeenOnce } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

type Asked = Pick<IncomingMessage, 'method' | 'headers'>

export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Buffer | null
}

export class Responder {
  readonly #surroundings: Surroundings
  readonly #common: Headers
  readonly #stable = new WeakMap<Form, Headers>()
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    const varies = surroundings.mayBeSigned === true ? { vary: 'accept-signature' } : {}
    this.#common = { ...commonHeaders(surroundings), ...varies }
    this.#clock = clock
  }

  reply(
    form: Form,
    served: Served,
    { method, headers: request }: Asked,
    at = momentOf(this.#clock),
  ): HttpReply {
    const times = timesOf(served, at.now, at.wall)
    // A POST never gets a 304: only GET and HEAD may (RFC 9110, 13.1.2).
    const unchanged = method !== 'POST' && isUnchanged(request['if-none-match'], form)
    const headers = unchanged
      ? this.#unchangedHeaders(form, served, times)
      : this.#headers(form, served, times)
    headers['x-request-id'] = requestIdOf(request)
    headers['traceparent'] = traceParentOf(request)
    return unchanged
      ? { status: 304, headers, body: null }
      : { status: form.status, headers, body: form.body }
  }

  #headers(form: Form, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#stableHeaders(form, served) }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }

  #stableHeaders(form: Form, served: Served): Headers {
    const { answer } = served
    const known = this.#stable.get(form)
    if (known !== undefined) return known
    const made = { ...stableHeaders(form, answer.agreement), ...unsetTimes, ...this.#common }
    if (!isSeenOnce(served)) this.#stable.set(form, made)
    return made
  }

  #unchangedHeaders(form: Form, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#common, ...unchangedHeaders(form, served.answer.agreement) }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }
}
