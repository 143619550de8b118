import type { Readable } from 'node:stream'
import { Pool } from 'undici'
import type { Clock } from '../../../base/lib/clock.ts'
import { withoutTrailing } from '../../../base/lib/without-trailing.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { ParticipantConnector } from './connect.ts'
import { Deadline } from './retry.ts'

export interface ApiRequest {
  readonly method: 'GET' | 'POST'
  /** The path and query, which are appended to the API's base URL: `/v2/state/ledger-end`. */
  readonly path: string
  /** Undefined if the participant checks no tokens. */
  readonly token: string | undefined
  readonly body?: unknown
}

export interface ApiAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

/** Thrown if a response exceeds the size limit. A request for fewer elements may succeed. */
export class TooLarge extends LedgerUnavailable {}

/** If all connections are busy, a request waits. The wait counts towards `requestTimeoutMs`. */
const maxConnections = 128
const connectTimeoutMs = 5_000
/** Longer than the participant's own limit of 20 s, so that the participant's error arrives. */
const requestTimeoutMs = 25_000
/** A longer answer would block the event loop while it is parsed. The caller then asks for less at once. */
const maxBytes = 8_388_608

/** The JSON Ledger API of a participant. */
export class JsonApi implements AsyncDisposable {
  readonly #clock: Clock
  readonly #pool: Pool
  readonly #connector: ParticipantConnector
  readonly #prefix: string
  readonly #life = new AbortController()

  constructor(url: string, clock: Clock) {
    const { origin, pathname } = new URL(url)
    this.#clock = clock
    this.#prefix = withoutTrailing('/', pathname)
    this.#connector = new ParticipantConnector(url, connectTimeoutMs, clock)
    this.#pool = new Pool(origin, {
      ...clientOptions,
      connections: maxConnections,
      connect: (_, done) => void this.#connector.open(done),
    })
  }

  /**
   * Limits the time and the size of a response. Rejects with `LedgerUnavailable` if no complete
   * response arrives.
   */
  async call({ method, path, token, body }: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    const signals = [signal, this.#life.signal]
    using deadline = new Deadline('The participant gave no answer', requestTimeoutMs, this.#clock, signals)
    try {
      const response = await this.#pool.request({
        method,
        path: `${this.#prefix}${path}`,
        headers: {
          ...commonHeaders,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: deadline.signal,
      })
      const { statusCode: status, headers, body: given } = response
      // A body that is destroyed before its end has an error, which without a listener ends the process.
      using _ended = endOf(given)
      const coding = headers['content-encoding']
      if (coding !== undefined && coding !== 'identity')
        throw new LedgerUnavailable(
          `The participant answered in the coding ${coding}, which was not asked for.`,
        )
      const text = await collect(given, Number(headers['content-length'] ?? 0))
      return { status, contentType: mediaType(headers['content-type']), text }
    } catch (error) {
      throw deadline.explain(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new LedgerUnavailable('The participant is no longer asked.'))
    await this.#pool.destroy()
    this.#connector[Symbol.dispose]()
  }
}

/** undici's own time limits are off (0), because `requestTimeoutMs` covers the whole request. */
const clientOptions = {
  allowH2: false,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  maxHeaderSize: 16_384,
}
const commonHeaders = { accept: 'application/json, text/plain', 'accept-encoding': 'identity' }

function endOf(body: Readable): Disposable {
  body.on('error', () => {})
  return { [Symbol.dispose]: () => void body.destroy() }
}

function mediaType(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header[0] : header
  return text?.split(';')[0]?.trim().toLowerCase() ?? ''
}

/**
 * Collects a body in one buffer: a list of many small chunks would need more memory.
 * @param announced the content length in bytes; 0 if the response states none.
 * @throws TooLarge, or TypeError if the body is not UTF-8.
 */
async function collect(body: AsyncIterable<Buffer>, announced: number): Promise<string> {
  if (announced > maxBytes) throw tooLarge()
  let store = Buffer.allocUnsafeSlow(announced > 0 ? announced : 4_096)
  let length = 0
  for await (const chunk of body) {
    if (length + chunk.length > maxBytes) throw tooLarge()
    if (length + chunk.length > store.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(maxBytes, 2 * (length + chunk.length)))
      larger.set(store.subarray(0, length))
      store = larger
    }
    store.set(chunk, length)
    length += chunk.length
  }
  return utf8.decode(store.subarray(0, length))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function tooLarge(): TooLarge {
  return new TooLarge(`The participant's answer has more than ${maxBytes} bytes.`)
}
