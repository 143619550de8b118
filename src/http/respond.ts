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
} from './envelope.ts'
import type { Form } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

/** The request, as Node has it. */
type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/** What goes out, as it goes out: whole headers but for those of the connection. */
export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  /** Null where there is none. */
  readonly body: string | Buffer | null
}

/** Turns what a quorum said into a reply: the same for hits and for everything else. */
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

  /** @param at for who has asked the clock already. */
  reply(
    form: Form,
    served: Served,
    { method, headers: request }: Asked,
    at = momentOf(this.#clock),
  ): HttpReply {
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
    const headers: Headers = { ...this.#stableHeaders(form, served) }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }

  /** Made once for a form, because they stay the same for as long as it is kept. */
  #stableHeaders(form: Form, { answer }: Served): Headers {
    const known = this.#stable.get(form)
    if (known !== undefined) return known
    const made = { ...stableHeaders(form, answer.agreement), ...this.#common }
    this.#stable.set(form, made)
    return made
  }

  #unchangedHeaders(form: Form, served: Served, times: Times): Headers {
    const headers: Headers = { ...unchangedHeaders(form, served.answer.agreement), ...this.#common }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }
}
