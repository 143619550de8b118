import type { IncomingMessage } from 'node:http'
import type { Served } from '../cache/answers.ts'
import { type Clock, momentOf } from '../lib/clock.ts'
import {
  blankHeaders,
  commonHeaders,
  type Headers,
  isUnchanged,
  type Surroundings,
  setStableHeaders,
  setTimeHeaders,
  setUnchangedHeaders,
  type Times,
  timesOf,
} from './envelope.ts'
import type { Form } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

/** The request, as Node has it. */
type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/** What goes out, as it goes out: whole headers but for those of the connection. */
export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** Null where there is none. */
  readonly body: string | Buffer | null
}

/** Turns what a quorum said into a reply: the same for hits and for everything else. */
export class Responder {
  readonly #surroundings: Surroundings
  readonly #common: Headers
  /** All headers of a form, to be filled in: a copy of one shape costs less than one that grows. */
  readonly #blank: Headers
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    this.#common = commonHeaders(surroundings)
    this.#blank = { ...blankHeaders, ...this.#common }
    this.#clock = clock
  }

  /** @param at for who has asked the clock already. */
  reply(form: Form, served: Served, { method, headers: request }: Asked, at = momentOf(this.#clock)): Reply {
    const times = timesOf(served, at.now, at.wall)
    // Only what is fetched by GET is a representation that a caller can have already.
    const unchanged = method !== 'POST' && isUnchanged(request['if-none-match'], form)
    const headers: Headers = {
      ...(unchanged ? this.#unchangedHeaders(form, served, times) : this.#headers(form, served, times)),
      'x-request-id': requestIdOf(request),
      traceparent: traceParentOf(request),
    }
    return unchanged
      ? { status: 304, headers, body: null }
      : { status: form.status, headers, body: form.body }
  }

  #headers(form: Form, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#blank }
    setStableHeaders(headers, form, served.answer)
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }

  #unchangedHeaders(form: Form, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#common }
    setUnchangedHeaders(headers, form, served.answer.agreement)
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }
}
