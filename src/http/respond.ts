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
  timeHeaderPlaceholders,
  timesOf,
  unchangedHeaders,
} from './headers.ts'
import { isUsedOnce, type Representation } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

type RequestHead = Pick<IncomingMessage, 'method' | 'headers'>

export interface HttpReply {
  readonly status: number
  readonly headers: Headers
  readonly body: string | Buffer | null
}

export class Responder {
  readonly #surroundings: Surroundings
  readonly #common: Headers
  readonly #stable = new WeakMap<Representation, Headers>()
  readonly #clock: Clock

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    const varies = surroundings.mayBeSigned === true ? { vary: 'accept-signature' } : {}
    this.#common = { ...commonHeaders(surroundings), ...varies }
    this.#clock = clock
  }

  reply(
    representation: Representation,
    served: Served,
    { method, headers: request }: RequestHead,
    at = momentOf(this.#clock),
  ): HttpReply {
    const times = timesOf(served, at)
    // A POST never gets a 304: only GET and HEAD may (RFC 9110, 13.1.2).
    const unchanged = method !== 'POST' && isUnchanged(request['if-none-match'], representation)
    const headers = unchanged
      ? this.#unchangedHeaders(representation, served, times)
      : this.#headers(representation, served, times)
    headers['x-request-id'] = requestIdOf(request)
    headers['traceparent'] = traceParentOf(request)
    return unchanged
      ? { status: 304, headers, body: null }
      : { status: representation.status, headers, body: representation.body }
  }

  #headers(representation: Representation, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#stableHeaders(representation, served) }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }

  #stableHeaders(representation: Representation, served: Served): Headers {
    const { answer } = served
    const known = this.#stable.get(representation)
    if (known !== undefined) return known
    const made = {
      ...stableHeaders(representation, answer.agreement),
      ...timeHeaderPlaceholders,
      ...this.#common,
    }
    if (!isUsedOnce(served)) this.#stable.set(representation, made)
    return made
  }

  #unchangedHeaders(representation: Representation, served: Served, times: Times): Headers {
    const headers: Headers = { ...this.#common, ...unchangedHeaders(representation, served.answer.agreement) }
    setTimeHeaders(headers, served, times, this.#surroundings)
    return headers
  }
}
