import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { bytesOf } from '../base/lib/body-bytes.ts'
import { browserGuard } from '../base/lib/browser-guard.ts'
import { tryMilliseconds } from '../base/lib/clock.ts'
import { hasMoreValues, tryJsonText } from '../base/lib/parse-json-text.ts'
import { refuseRaw, statusLineOf } from '../base/lib/raw-refusal.ts'
import { valueAt } from '../base/lib/value-at.ts'
import { beginWaiting, endWaiting } from '../base/lib/waiting-requests.ts'
import { refuse, replyIn } from './answers/asked.ts'
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
  healAll(): Promise<void>
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

export const usualControlPort = 9500
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

type Handler = (name: string, body: string) => unknown
/** The handlers by path and method. A path has `{}` in the place of a super validator's name. */
type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>

/**
 * Opens the HTTP server, on loopback only, through which users and scripts set faults and move time
 * while a localnet runs.
 * @param allowedHosts the values of the header `host` that are accepted besides IP addresses and
 * `localhost`.
 */
export async function openControl(
  controlled: Controlled,
  port: number | 'usual',
  allowedHosts: readonly string[] = [],
): Promise<AsyncDisposable & { readonly url: string }> {
  const guard = browserGuard(allowedHosts)
  const routes = routesOf(controlled)
  const serve = (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (!beginWaiting(socket)) return
    response.once('close', () => endWaiting(socket))
    void answer(request, guard, routes)
      .catch(replyIn)
      .catch((error: unknown) => declaredError(500, String(error)))
      .then((reply) => sendWhole(response, reply))
  }
  const server = createServer({ requireHostHeader: false, requestTimeout: requestTimeoutMs }, serve)
  server.on('checkExpectation', serve)
  // The server never sends `100 Continue`: clients continue without it (RFC 9110, 10.1.1), and
  // bodies are short.
  server.on('checkContinue', serve)
  server.on('clientError', (error, socket) => {
    const statusLine = statusLineOf(error, socket)
    if (statusLine === undefined) socket.destroy()
    else refuseRaw(socket, { statusLine, body: malformed })
  })
  const taken = port === 'usual' ? await listenFrom(server, usualControlPort) : await listen(server, port)
  const url = `http://${loopback}:${taken}`
  return { url, [Symbol.asyncDispose]: () => close(server) }
}

async function listenFrom(server: Server, port: number): Promise<number> {
  try {
    return await listen(server, port)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    return listenFrom(server, port + 1)
  }
}

async function answer(
  request: IncomingMessage,
  guard: ReturnType<typeof browserGuard>,
  routes: Routes,
): Promise<Reply> {
  const refusal = guard(request)
  if (refusal !== undefined) return declaredError(refusal.status, refusal.error)
  const bytes = await bytesOf(request, maxBodyBytes)
  if (bytes === undefined) return declaredError(413, `a body has at most ${maxBodyBytes} bytes`)
  const body = bytes.toString()
  if (hasMoreValues(body, mostValues)) return declaredError(400, `a body has at most ${mostValues} values`)
  const target = parseTarget(request.url ?? '')
  if (target === undefined) return declaredError(400, 'the path has a malformed escape')
  const [head, name = '', ...rest] = target.segments
  const exact = ['', ...target.segments].join('/')
  const path = name === '' || exact in routes ? exact : ['', head, '{}', ...rest].join('/')
  const methods = routes[path]
  if (methods === undefined) return declaredError(404, `there is no ${request.url}`)
  const handler = methods[request.method ?? '']
  if (handler !== undefined) return jsonReply(JSON.stringify(await handler(name, body)))
  const allow = Object.keys(methods).join(', ')
  const headers = ['content-type', 'application/json', 'allow', allow]
  return replyOf(405, headers, `{"error":"${path} takes ${allow}"}`)
}

function routesOf({ show, setFault, healAll, setRelease, now, advance }: Controlled): Routes {
  const shown = (name: string) => {
    const known = show().map((shown) => shown.name)
    const unknown = `no super validator is called ${JSON.stringify(name)}; known: ${known.join(', ')}`
    return show()[known.indexOf(name)] ?? refuse(declaredError(404, unknown))
  }
  const set = async (name: string, fault: unknown) => {
    shown(name)
    await setFault(name, fault).catch((error: unknown) => {
      if (error instanceof NoFaultError) refuse(declaredError(400, error.message))
      refuse(declaredError(500, `the fault is not in force: ${String(error)}`))
    })
    return shown(name)
  }
  const time = () => ({ now: new Date(now()).toISOString() })
  return {
    '/super-validators': { GET: show },
    '/super-validators/{}': { GET: shown },
    '/super-validators/{}/fault': {
      PUT(name, body) {
        const fault = tryJsonText(body)
        const example = 'the body is no JSON; a fault is an object such as {"kind":"lie"}'
        return fault === undefined ? refuse(declaredError(400, example)) : set(name, fault)
      },
      DELETE: (name) => set(name, undefined),
    },
    '/super-validators/{}/release': {
      PUT(name, body) {
        shown(name)
        const asked = textIn(body, 'release')
        const known = `the body is no release such as {"release":"0.8"}; known: ${releaseNames.join(', ')}`
        setRelease(name, releaseNames.find((each) => each === asked) ?? refuse(declaredError(400, known)))
        return shown(name)
      },
    },
    '/faults': {
      GET: describeFaults,
      async DELETE() {
        await healAll().catch((error: unknown) =>
          refuse(declaredError(500, `not all are healed: ${String(error)}`)),
        )
        return show()
      },
    },
    '/time': { GET: time },
    '/time/advance': {
      async POST(_name, body) {
        if (advance === undefined) refuse(declaredError(404, 'the time of this localnet cannot be moved'))
        const ms = tryMilliseconds(textIn(body, 'duration') ?? '')
        const example = 'the body is no duration; one is an object such as {"duration":"60d"}'
        if (ms === undefined) refuse(declaredError(400, example))
        if (now() + ms >= endOfTime) refuse(declaredError(400, 'time ends with the year 2199'))
        await advance(ms)
        return time()
      },
    },
  }
}

/** Returns the text of a member of the JSON object in a body. */
function textIn(body: string, member: string): string | undefined {
  const text = valueAt(tryJsonText(body), [member])
  return typeof text === 'string' ? text : undefined
}

const malformed = '{"error":"this is no HTTP that the control address understands"}'
