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

/** A reply ready to write, with all headers except those of the connection. */
export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  /** Null if the reply has no body. */
  readonly body: string | Buffer | null
}

/** Turns an agreed answer into an HTTP reply, for hits and misses alike. */
export class Responder {
  readonly #surroundings: Surroundings
  readonly #common: Headers
  readonly #stable = new WeakMap<Form, Headers>()
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    this.#common = commonHeaders(surroundings)
    this.#clock = clock
  }

  /**
   * Builds the reply with one form of an answer, or a 304 if the caller has that form already.
   * @param at the current moment, for callers that have already read the clock.
   */
  reply(
    form: Form,
    served: Served,
    { method, headers: request }: Asked,
    at = momentOf(this.#clock),
  ): HttpReply {
    const times = timesOf(served, at.now, at.wall)
    // Conditional requests apply to GET and HEAD only; a POST answer is not a stored representation.
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

  /** Builds these headers once per form, because they never change while the form is cached. */
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
