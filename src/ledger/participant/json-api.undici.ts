import { Pool } from 'undici'
import type { Clock } from '../../lib/clock.ts'
import { withoutTrailing } from '../../lib/without-trailing.ts'
import { LedgerUnavailable } from '../ledger.ts'
import { type ApiAnswer, type ApiRequest, type Frames, type JsonApi, TooLarge } from './json-api.ts'
import { ParticipantConnector } from './json-api-connect.undici.ts'
import { openFrames } from './json-api-frames.undici.ts'
import { Deadline } from './retry.ts'

export interface UndiciJsonApiOptions {
  readonly url: string
  /** If all connections are busy, a request waits. The wait counts towards `requestTimeoutMs`. */
  readonly maxConnections?: number
  readonly connectTimeoutMs?: number
  /**
   * The default is longer than the participant's own limit of 20 s, so that the participant's error
   * arrives.
   */
  readonly requestTimeoutMs?: number
  readonly maxBytes?: number
  readonly pingMs?: number
}

export class UndiciJsonApi implements JsonApi {
  readonly #clock: Clock
  readonly #pool: Pool
  readonly #connector: ParticipantConnector
  readonly #origin: string
  readonly #prefix: string
  readonly #requestTimeoutMs: number
  readonly #maxBytes: number
  readonly #pingMs: number
  readonly #open = new Set<Frames>()
  readonly #life = new AbortController()

  constructor(options: UndiciJsonApiOptions, { clock }: { readonly clock: Clock }) {
    const {
      url,
      maxConnections = 128,
      connectTimeoutMs = 5_000,
      requestTimeoutMs = 25_000,
      maxBytes = 33_554_432,
      pingMs = 20_000,
    } = options
    const { origin, pathname } = new URL(url)
    this.#clock = clock
    this.#origin = origin
    this.#prefix = withoutTrailing('/', pathname)
    this.#requestTimeoutMs = requestTimeoutMs
    this.#maxBytes = maxBytes
    this.#pingMs = pingMs
    this.#connector = new ParticipantConnector(connectTimeoutMs, clock)
    const { connect } = this.#connector
    this.#pool = new Pool(origin, { ...clientOptions, connections: maxConnections, connect })
  }

  async call({ method, path, token, body }: ApiRequest, signal: AbortSignal): Promise<ApiAnswer> {
    using deadline = this.#deadline('The participant gave no answer', signal)
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
      const { statusCode: status, headers } = response
      const coding = headers['content-encoding']
      if (coding !== undefined && coding !== 'identity') {
        response.body.destroy()
        throw new LedgerUnavailable(
          `The participant answered in the coding ${coding}, which was not asked for.`,
        )
      }
      const text = await collect(response.body, Number(headers['content-length'] ?? 0), this.#maxBytes)
      return { status, contentType: mediaType(headers['content-type']), text }
    } catch (error) {
      throw deadline.explain(error)
    }
  }

  async open(
    path: string,
    token: string | undefined,
    request: unknown,
    signal: AbortSignal,
  ): Promise<Frames> {
    using deadline = this.#deadline('The participant did not open a websocket', signal)
    let leave = () => {}
    try {
      const frames = await openFrames(
        {
          origin: this.#origin,
          path: `${this.#prefix}${path}`,
          authorization: token === undefined ? undefined : `Bearer ${token}`,
          firstFrame: JSON.stringify(request),
          maxBytes: this.#maxBytes,
          pingMs: this.#pingMs,
          closed: (closed) => {
            this.#open.delete(closed)
            signal.removeEventListener('abort', leave)
          },
        },
        { clock: this.#clock, connector: this.#connector },
        deadline.signal,
      )
      this.#open.add(frames)
      leave = () => frames[Symbol.dispose]()
      signal.addEventListener('abort', leave, { once: true })
      return frames
    } catch (error) {
      throw deadline.explain(error)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#life.abort(new LedgerUnavailable('The participant is no longer asked.'))
    for (const frames of this.#open) frames[Symbol.dispose]()
    await this.#pool.destroy()
    this.#connector[Symbol.dispose]()
  }

  #deadline(what: string, signal: AbortSignal): Deadline {
    return new Deadline(what, this.#requestTimeoutMs, this.#clock, [signal, this.#life.signal])
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

function mediaType(header: string | string[] | undefined): string {
  const text = Array.isArray(header) ? header[0] : header
  return text?.split(';')[0]?.trim().toLowerCase() ?? ''
}

/**
 * Collects a body in one buffer: a list of many small chunks would need more memory.
 * @param announced the content length in bytes; 0 if the response states none.
 * @throws TooLarge, or TypeError if the body is not UTF-8.
 */
async function collect(body: AsyncIterable<Buffer>, announced: number, maxBytes: number): Promise<string> {
  if (announced > maxBytes) throw tooLarge(maxBytes)
  let store = Buffer.allocUnsafeSlow(announced > 0 ? announced : 4_096)
  let length = 0
  for await (const chunk of body) {
    if (length + chunk.length > maxBytes) throw tooLarge(maxBytes)
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

function tooLarge(maxBytes: number): TooLarge {
  return new TooLarge(`The participant's answer has more than ${maxBytes} bytes.`)
}
