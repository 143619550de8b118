import type { IncomingMessage } from 'node:http'
import type { Served } from '../cache/answers.ts'
import type { Clock } from '../lib/clock.ts'
import {
  cacheControl,
  cacheStatus,
  commonHeaders,
  type Headers,
  isUnchanged,
  type Surroundings,
  stableHeaders,
  timesOf,
  unchangedHeaders,
} from './envelope.ts'
import type { Form } from './projection.ts'
import { requestIdOf, traceParentOf } from './request.ts'

/** The request, as Node has it. */
type Asked = Pick<IncomingMessage, 'method' | 'headers'>

/** Turns what a quorum said into a response: the same for hits and for everything else. */
export class Responder {
  readonly #surroundings: Surroundings
  readonly #clock: Clock
  readonly #stable = new WeakMap<Form, Headers>()

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    this.#clock = clock
  }

  respond(form: Form, served: Served, { method, headers: request }: Asked): Response {
    const { ageSeconds, maxAgeSeconds, ttlSeconds } = timesOf(served, this.#clock.now(), this.#clock.wall())
    // Only what is fetched by GET is a representation that a caller can have already.
    const unchanged = method !== 'POST' && isUnchanged(request['if-none-match'], form)
    const headers: Headers = {
      ...(unchanged ? this.#unchangedHeaders(form, served) : this.#stableHeaders(form, served)),
      age: String(ageSeconds),
      'cache-control': cacheControl(maxAgeSeconds, this.#surroundings),
      'cache-status': cacheStatus(served, ttlSeconds),
      'x-request-id': requestIdOf(request),
      traceparent: traceParentOf(request),
    }
    if (unchanged) return new Response(null, { status: 304, headers })
    return new Response(form.body as Uint8Array<ArrayBuffer>, { status: form.status, headers })
  }

  #stableHeaders(form: Form, served: Served): Headers {
    let headers = this.#stable.get(form)
    if (headers === undefined) {
      headers = stableHeaders(form, served.answer, this.#surroundings)
      this.#stable.set(form, headers)
    }
    return headers
  }

  #unchangedHeaders(form: Form, { answer }: Served): Headers {
    return { ...unchangedHeaders(form, answer.agreement), ...commonHeaders(this.#surroundings) }
  }
}
