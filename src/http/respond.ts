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
  readonly #clock: Clock
  readonly #stable = new WeakMap<Form, Headers>()

  constructor(surroundings: Surroundings, clock: Clock) {
    this.#surroundings = surroundings
    this.#clock = clock
  }

  reply(form: Form, served: Served, { method, headers: request }: Asked): Reply {
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
    return unchanged
      ? { status: 304, headers, body: null }
      : { status: form.status, headers, body: form.body }
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
