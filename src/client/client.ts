import { milliseconds, systemClock } from '../base/lib/clock.ts'
import { kindOf, problemOf } from '../base/lib/option-rules.ts'
import type { Endpoint } from '../core/reads/endpoint.ts'
import { readIds } from '../core/reads/endpoints.ts'
import { readingOf, repeatsParam } from '../core/reads/reading.ts'
import { refusalStatuses, valueStatus } from '../core/reads/replies.ts'
import { checkedAddress } from './address.ts'
import { agreementIn } from './agreement-headers.ts'
import type { Answered } from './answered.ts'
import { asOfIn } from './as-of-header.ts'
import { boundedBody } from './bounded-body.ts'
import type { ChangesEvent } from './change-event.ts'
import { type ChangesOptions, changesOf } from './changes.ts'
import { ClientError } from './client-error.ts'
import { directFetch } from './direct-fetch.ts'
import { errorIn, errorOf, type Received } from './error-from-response.ts'
import { inTime, type TimedAsk } from './in-time.ts'
import { jsonIn } from './json-text.ts'
import { methodsOver, printedAs, type ReadMethods } from './methods.ts'
import { notBeforeHeaders } from './not-before.ts'
import { clientRules, problemOfCall } from './options.ts'
import { type ClientRequest, requestFor } from './question.ts'
import { checkedToken, type Token, tokenFor, tokenFunction } from './token.ts'
import { brokenOff } from './unreachable.ts'

export { type QuorumReached, SpliceError, type SpliceErrorCode } from '../base/errors/splice.ts'
export type { Json } from '../base/lib/canonical-json.ts'
export type { Agreement } from '../core/cache/agreement.ts'
export type { Arguments } from '../core/reads/arguments.ts'
export { type ReadId, readIds, type Value } from '../core/reads/endpoints.ts'
export type { AgreedAbsence, AgreedValue, Answered, MirroredAsOf } from './answered.ts'
export type { ChangedName, ChangesEvent } from './change-event.ts'
export type { ChangesOptions } from './changes.ts'
export { ClientError, type ClientErrorCode } from './client-error.ts'
export type { CallOptions, ReadMethods } from './methods.ts'
export { isReadId } from './question.ts'
export { type ReceiptAnswer, receiptAnswer } from './receipt-answer.ts'

export interface ClientOptions {
  /**
   * The daemon's public address, such as `https://scan.example.org`, including a path prefix that a
   * proxy adds.
   */
  readonly url: string | URL
  /**
   * The bearer token, or a function that returns it. The client calls the function for each
   * request; `timeoutMs` includes the time of that call.
   */
  readonly token?: Token
  /**
   * The longest time of a read, in milliseconds, until the end of its answer; 30,000 by default. A
   * late read rejects with `unreachable`. The stream of changes has `ChangesOptions.idleMs`
   * instead.
   */
  readonly timeoutMs?: number | undefined
}

/**
 * The client of a daemon: a method for each read, and the feed of changes (`docs/library.md`). A
 * client keeps nothing open between calls, so it needs no closing.
 */
export interface Client extends ReadMethods {
  /**
   * Follows the names that change, until the daemon ends the stream. The daemon needs
   * `mirror.level: stream`. Rejects with the same errors as the reads. To resume after an event,
   * pass `after: event.id`.
   */
  changes(options?: ChangesOptions): AsyncIterable<ChangesEvent>
}

/**
 * Returns a client of a running daemon. It needs only the global `fetch`, so it also runs in a
 * browser.
 *
 * Its methods resolve with the agreed answer and with who agreed. They reject with a `ClientError`,
 * or with the signal's reason if the signal of the call aborts.
 * @throws ClientError if the url is no http or https URL, or if another option is wrong.
 */
export function createClient(options: ClientOptions): Client {
  const { base, token, timeoutMs } = checkedOptions(options)
  const methods = methodsOver(readIds, async (id, given, options) => {
    const problem = problemOfCall(options)
    if (problem !== undefined) throw new ClientError('badOption', problem)
    const { signal } = options
    const question = requestFor(id, given)
    const { row, path, body } = question
    const wanted = notBeforeHeaders(options, systemClock.wall())
    const request = {
      method: row.method,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...wanted,
      },
      ...(body === undefined ? {} : { body }),
      // By default, a browser would repeat an old answer with its old `age`. `no-cache` makes it
      // ask the daemon whether its copy is valid. `no-store` ignores a copy that may be older than
      // `wanted` allows.
      cache: Object.keys(wanted).length > 0 ? ('no-store' as const) : ('no-cache' as const),
    }
    return answeredBy(await sent({ base, token, timeoutMs, signal }, path, request), question)
  })
  const client = {
    ...methods,
    changes: (options = {}) => changesOf({ base, token }, options),
  } satisfies Client
  return printedAs(client, `Client { url: '${base}', and a method for each of ${readIds.length} reads }`)
}

function checkedOptions(options: ClientOptions) {
  if (kindOf(options) !== 'Object')
    throw new ClientError(
      'badUrl',
      "createClient takes an object with the url of a daemon: createClient({ url: 'http://127.0.0.1:8080' }).",
    )
  const problem = problemOf(options, clientRules, 'a client')
  if (problem !== undefined) throw new ClientError('badOption', problem)
  const { url, token, timeoutMs = milliseconds('30s') } = options
  if (token !== undefined && typeof token !== 'function') checkedToken(token)
  return { base: checkedAddress(url), token, timeoutMs }
}

/** The maximum size of an answer, in bytes: twice the 32 MiB that a daemon accepts from a scan. */
const mostBytes = 2 ** 26

interface Request extends RequestInit {
  readonly headers: Readonly<Record<string, string>>
}

function sent(ask: TimedAsk & { readonly token: Token }, path: string, request: Request): Promise<Received> {
  const { base, token } = ask
  let awaited = typeof token === 'function' ? tokenFunction : base
  return inTime({ ...ask, subject: () => awaited }, async (signal) => {
    const bearer = await tokenFor(token, signal)
    awaited = base
    const headers = {
      ...request.headers,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    }
    try {
      const response = await directFetch(base, path, { ...request, headers, signal })
      const body = await boundedBody(response, { base, most: mostBytes })
      return { response, text: new TextDecoder().decode(body), base }
    } catch (cause) {
      signal.throwIfAborted()
      throw brokenOff(base, cause)
    }
  })
}

function answeredBy(
  received: Received,
  { row, params }: Pick<ClientRequest, 'row' | 'params'>,
): Answered<unknown> {
  const { status, headers } = received.response
  const error = errorIn(received)
  const agreement = agreementIn(headers.get('x-bft-quorum'), headers.get('x-bft-agreed'))
  const ageSeconds = ageIn(headers.get('age'))
  const isRefusal = refusalStatuses.has(status) && error !== undefined
  const isAnswer = (status === valueStatus || isRefusal) && !headers.has('x-bft-error')
  if (!isAnswer || agreement === undefined || ageSeconds === undefined) throw errorOf(received)
  const asOf = asOfIn(headers.get('x-bft-as-of'))
  const provenance = {
    agreement,
    agreedAt: new Date(systemClock.wall() - ageSeconds * 1000),
    digest: (headers.get('etag') ?? '').replace(/^(?:W\/)?"(.*)"$/, '$1'),
    ...(asOf && { asOf }),
    ...(headers.get('x-bft-network') === 'localnet' && { network: 'localnet' as const }),
  }
  if (error !== undefined) return { kind: 'absence', value: undefined, status, error, ...provenance }
  const reading = readingOf(row, jsonIn(received.text))
  if (reading === undefined) throw errorOf(received)
  const { value } = reading
  if (!repeatsParam(row.repeats, value, params)) throw otherQuestion(received, row)
  return { kind: 'value', value, ...provenance }
}

function otherQuestion(
  { base, response: { status, headers } }: Received,
  { repeats }: Endpoint,
): ClientError {
  const member = repeats?.member.join('.')
  return new ClientError(
    'misunderstood',
    `the answer of ${base} is for another question: its ${member} is not the ${repeats?.param} that was asked for`,
    { status, requestId: headers.get('x-request-id') ?? undefined },
  )
}

/**
 * Returns the seconds in the header `age`: 0 if it is absent, undefined if it is malformed. Each
 * HTTP cache on the way may have added its own value; the greatest counts.
 */
function ageIn(header: string | null): number | undefined {
  if (header === null) return 0
  const ages = header.split(',').map((age) => age.trim())
  return ages.every((age) => /^\d{1,10}$/.test(age)) ? Math.max(...ages.map(Number)) : undefined
}
