import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { bytesOf } from '../lib/body-bytes.ts'
import { browserGuard } from '../lib/browser-guard.ts'
import { tryMilliseconds } from '../lib/clock.ts'
import { hasMoreValues } from '../lib/json-values.ts'
import { tryJsonText } from '../lib/parse-json-text.ts'
import { type RawRefusal, refuseRaw, statusLineOf } from '../lib/raw-refusal.ts'
import { valueAt } from '../lib/value-at.ts'
import { beginWaiting, endWaiting } from '../lib/waiting-requests.ts'
import { describeFaults, NoFaultError } from './faults.ts'
import { close, listen, loopback } from './node.ts'
import { type ReleaseName, releaseNames } from './releases.ts'
import { declaredError, jsonReply, type Reply, replyOf } from './reply.ts'
import { parseTarget } from './target.ts'
import { sendWhole } from './wire.ts'

export interface ShownSuperValidator {
  readonly name: string
  readonly url: string
  readonly party: string
  readonly fault: unknown
  readonly release: ReleaseName
  readonly asks: number
}

export interface Controlled {
  show(): readonly ShownSuperValidator[]
  /**
   * Replaces the faults of a super validator. `fault` is one fault or a list; undefined removes all
   * faults. Rejects with a `NoFaultError` if a fault is not valid.
   */
  setFault(name: string, fault: unknown): Promise<void>
  /** The super validator's scan runs another release from now on: a newer or an older one. */
  setRelease(name: string, release: ReleaseName): void
  /** Returns the localnet's time, in milliseconds since 1970 UTC. */
  now(): number
  /**
   * Moves the localnet's clock forward. Resolves when the ledger's automation has done all work that
   * became due. The property is undefined if the clock cannot be moved.
   */
  readonly advance: ((ms: number) => Promise<void>) | undefined
}

const maxBodyBytes = 64 * 1024
const mostValues = 1_000
/**
 * The limit for receiving a request. The work that the request starts may take longer, such as
 * moving time forward by a day.
 */
const requestTimeoutMs = 60_000
/**
 * The clock stays before this time, so that the expiry of a new contract is still a time that a
 * ledger can store.
 */
const endOfTime = Date.UTC(2200, 0)

type ControlHandler = (name: string, body: string) => Reply | Promise<Reply>

/**
 * The HTTP server, on loopback only, through which users and scripts set faults and move time while
 * a localnet runs.
 */
export class Control implements AsyncDisposable {
  readonly #controlled: Controlled
  readonly #server: Server
  readonly #guard: ReturnType<typeof browserGuard>
  readonly #routes: Readonly<Record<string, Readonly<Record<string, ControlHandler>>>>

  /**
   * @param allowedHosts the values of the header `host` that are accepted besides IP addresses and
   * `localhost`.
   */
  constructor(controlled: Controlled, allowedHosts: readonly string[] = []) {
    this.#controlled = controlled
    this.#guard = browserGuard(allowedHosts)
    this.#routes = {
      '/super-validators': { GET: () => json(controlled.show()) },
      '/super-validators/{}': { GET: (name) => this.#shown(name) },
      '/super-validators/{}/fault': {
        PUT: (name, body) => this.#put(name, body),
        DELETE: (name) => this.#set(name, undefined),
      },
      '/super-validators/{}/release': { PUT: (name, body) => this.#putRelease(name, body) },
      '/faults': { GET: () => json(describeFaults()), DELETE: () => this.#healAll() },
      '/time': { GET: () => this.#time() },
      '/time/advance': { POST: (_name, body) => this.#advance(body) },
    }
    const serve = (request: IncomingMessage, response: ServerResponse) => {
      const { socket } = request
      if (!beginWaiting(socket)) return
      response.once('close', () => endWaiting(socket))
      void this.#answer(request)
        .catch((error: unknown) => declaredError(500, String(error)))
        .then((reply) => sendWhole(response, reply))
    }
    this.#server = createServer({ requireHostHeader: false }, serve)
    this.#server.on('checkExpectation', serve)
    // The server never sends `100 Continue`: clients continue without it (RFC 9110, 10.1.1), and
    // bodies are short.
    this.#server.on('checkContinue', serve)
    this.#server.requestTimeout = requestTimeoutMs
    this.#server.on('clientError', (error, socket) => {
      const statusLine = statusLineOf(error, socket)
      if (statusLine === undefined) socket.destroy()
      else refuseRaw(socket, malformed(statusLine))
    })
  }

  async open(port: number): Promise<string> {
    return `http://${loopback}:${await listen(this.#server, port)}`
  }

  [Symbol.asyncDispose](): Promise<void> {
    return close(this.#server)
  }

  async #answer(request: IncomingMessage): Promise<Reply> {
    const refusal = this.#guard(request)
    if (refusal !== undefined) return declaredError(refusal.status, refusal.error)
    const bytes = await bytesOf(request, maxBodyBytes)
    if (bytes === undefined) return declaredError(413, `a body has at most ${maxBodyBytes} bytes`)
    const body = bytes.toString()
    if (hasMoreValues(body, mostValues)) return declaredError(400, `a body has at most ${mostValues} values`)
    const target = parseTarget(request.url ?? '')
    if (target === undefined) return declaredError(400, 'the path has a malformed escape')
    const [head, name, ...rest] = target.segments
    const exact = ['', ...target.segments].join('/')
    const path = name === undefined || exact in this.#routes ? exact : ['', head, '{}', ...rest].join('/')
    const methods = this.#routes[path]
    if (methods === undefined) return declaredError(404, `there is no ${request.url}`)
    const handler = methods[request.method ?? '']
    if (handler !== undefined) return handler(name ?? '', body)
    const allow = Object.keys(methods).join(', ')
    return replyOf(
      405,
      ['content-type', 'application/json', 'allow', allow],
      `{"error":"${path} takes ${allow}"}`,
    )
  }

  #shown(name: string): Reply {
    const shown = this.#find(name)
    return shown === undefined ? this.#unknown(name) : json(shown)
  }

  #put(name: string, body: string): Reply | Promise<Reply> {
    const fault = tryJsonText(body)
    return fault === undefined
      ? declaredError(400, 'the body is no JSON; a fault is an object such as {"kind":"lie"}')
      : this.#set(name, fault)
  }

  async #set(name: string, fault: unknown): Promise<Reply> {
    if (this.#find(name) === undefined) return this.#unknown(name)
    try {
      await this.#controlled.setFault(name, fault)
    } catch (error) {
      if (error instanceof NoFaultError) return declaredError(400, error.message)
      return declaredError(500, `the fault is not in force: ${String(error)}`)
    }
    return this.#shown(name)
  }

  #putRelease(name: string, body: string): Reply {
    if (this.#find(name) === undefined) return this.#unknown(name)
    const asked = textIn(body, 'release')
    const release = releaseNames.find((known) => known === asked)
    if (release === undefined) {
      const example = '{"release":"0.8"}'
      return declaredError(
        400,
        `the body is no release such as ${example}; known: ${releaseNames.join(', ')}`,
      )
    }
    this.#controlled.setRelease(name, release)
    return this.#shown(name)
  }

  async #healAll(): Promise<Reply> {
    const names = this.#controlled.show().map(({ name }) => name)
    const healed = await Promise.allSettled(names.map((name) => this.#controlled.setFault(name, undefined)))
    const failed = healed.find((result) => result.status === 'rejected')
    if (failed !== undefined) return declaredError(500, `not all are healed: ${String(failed.reason)}`)
    return json(this.#controlled.show())
  }

  #time(): Reply {
    return json({ now: new Date(this.#controlled.now()).toISOString() })
  }

  async #advance(body: string): Promise<Reply> {
    const { advance, now } = this.#controlled
    if (advance === undefined) return declaredError(404, 'the time of this localnet cannot be moved')
    const ms = tryMilliseconds(textIn(body, 'duration') ?? '')
    if (ms === undefined) {
      return declaredError(400, 'the body is no duration; one is an object such as {"duration":"60d"}')
    }
    if (now() + ms >= endOfTime) return declaredError(400, 'time ends with the year 2199')
    await advance(ms)
    return this.#time()
  }

  #find(name: string): ShownSuperValidator | undefined {
    return this.#controlled.show().find((shown) => shown.name === name)
  }

  #unknown(name: string): Reply {
    const known = this.#controlled.show().map((shown) => shown.name)
    return declaredError(
      404,
      `no super validator is called ${JSON.stringify(name)}; known: ${known.join(', ')}`,
    )
  }
}

/** Returns the text of a member of the JSON object in a body. */
function textIn(body: string, member: string): string | undefined {
  const text = valueAt(tryJsonText(body), [member])
  return typeof text === 'string' ? text : undefined
}

function json(value: unknown): Reply {
  return jsonReply(JSON.stringify(value))
}

function malformed(statusLine: string): RawRefusal {
  return { statusLine, body: '{"error":"this is no HTTP that the control address understands"}' }
}
