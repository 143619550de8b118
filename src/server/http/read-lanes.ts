import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { TrieRouter } from 'hono/router/trie-router'
import { LRUCache } from 'lru-cache'
import { type QuorumReached, SpliceError } from '../../base/errors/splice.ts'
import { bearerIn } from '../../base/lib/bearer.ts'
import { clientOf } from '../../base/lib/client-address.ts'
import { type Clock, type Moment, momentOf } from '../../base/lib/clock.ts'
import { type MaybePromise, whenKnown } from '../../base/lib/maybe-promise.ts'
import type { Events, RouteEvents } from '../../base/telemetry/events.ts'
import type { Served } from '../../core/cache/answers.ts'
import type { Question } from '../../core/reads/read.ts'
import { bodyParam } from '../../core/reads/request.ts'
import type { Caller, Reader } from '../../core/scan/reader.ts'
import type { ReceiptWish } from '../../receipts/answer-receipts.ts'
import type { ReceiptDesk } from '../../receipts/receipt-desk.ts'
import type { Verifier } from '../auth/verifier.ts'
import { type OnBody, readJsonBody, readQuestion, readTexts } from './body.ts'
import type { MissBudget } from './middleware/misses.ts'
import { requireToken } from './middleware/token.ts'
import type { Problem } from './problem.ts'
import { type KnownContracts, representationOf } from './projection.ts'
import { callerTraceOf, paramsReader, type RequestTarget, requestIdOf, splitTarget } from './request.ts'
import { EndOfTurn, failedQuorumHeader, type HttpReply, Responder, type Surroundings } from './respond.ts'
import { honoPath, type Mount, mounts } from './routes/mounts.ts'

const liveHeader = 'x-bft-live'
const notBeforeHeader = 'x-bft-not-before'

const dateItem = /^@(-?\d{1,15})$/

const longestValue = 100

export interface ReadLaneDeps {
  readonly reader: Pick<Reader, 'answer' | 'quorumOfNobody'>
  readonly budget: MissBudget | undefined
  readonly verifier: Verifier | undefined
  readonly receipts: Pick<ReceiptDesk, 'labelFor' | 'headersFor' | 'requestDigest'> | undefined
  readonly clock: Clock
  readonly events: Pick<Events, 'forRoute'>
  readonly refuse: (error: unknown, request: IncomingMessage, isGone: boolean) => Problem | undefined
}

class ReadExchange implements Caller {
  readonly target: RequestTarget
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** When the whole request was there: a token and a body may take a while, or the machine sleeps. */
  receivedAt: Moment
  readonly begunAt: number
  notBefore: number | undefined = undefined
  bodyDigest: string | undefined = undefined
  readonly #budget: MissBudget | undefined

  constructor(
    target: RequestTarget,
    request: IncomingMessage,
    response: ServerResponse,
    { clock, budget }: Pick<ReadLaneDeps, 'clock' | 'budget'>,
  ) {
    this.target = target
    this.request = request
    this.response = response
    this.receivedAt = momentOf(clock)
    this.begunAt = this.receivedAt.now
    this.#budget = budget
  }

  get traceParent(): string | undefined {
    return callerTraceOf(this.request.headers)
  }

  whenLeft(left: (reason: unknown) => void): void {
    this.response.once('close', () => {
      if (!this.response.writableEnded) left(new Error('the caller left'))
    })
  }

  requestId(): string {
    return requestIdOf(this.request.headers)
  }

  mayRefresh(): boolean {
    return this.#budget?.trySpend(clientOf(this.request)) !== false
  }

  beforeLoad(): void {
    this.#budget?.spend(clientOf(this.request))
  }
}

interface AskedQuestion {
  readonly question: Question
  readonly known?: KnownContracts
}

/**
 * The status that metrics show for a caller that disconnected; nginx uses the same number. It is
 * never sent.
 */
export const callerLeftStatus = 499

/**
 * Sends the first answer of a turn of the event loop at once, and all later ones together at its
 * end.
 */
const replies = new EndOfTurn()

class ReadLane {
  readonly mount: Mount
  readonly #deps: ReadLaneDeps
  readonly #verifier: Verifier | undefined
  readonly #readParams: ReturnType<typeof paramsReader>
  readonly #questions = new WeakMap<RequestTarget, Question>()
  readonly #responder: Responder
  readonly #events: RouteEvents

  constructor(mount: Mount, network: Surroundings['network'], deps: ReadLaneDeps) {
    const { read, surface, template } = mount
    this.mount = mount
    this.#deps = deps
    this.#verifier = surface === 'proxy' ? deps.verifier : undefined
    this.#readParams = paramsReader(read, template)
    const mayBeSigned = deps.receipts !== undefined
    this.#responder = new Responder(
      { network, isPrivate: this.#verifier !== undefined, mayBeSigned },
      deps.clock,
    )
    this.#events = deps.events.forRoute(read.id)
  }

  /** Never throws. Answers in the current turn of the event loop if nothing has to be awaited. */
  serve(target: RequestTarget, request: IncomingMessage, response: ServerResponse): void {
    const exchange = new ReadExchange(target, request, response, this.#deps)
    const fail = (error: unknown) => this.#fail(exchange, error)
    try {
      const answered = whenKnown(this.#asked(exchange), (asked) => this.#answer(exchange, asked))
      if (answered instanceof Promise) answered.catch(fail)
    } catch (error) {
      fail(error)
    }
  }

  /** Checks the token first, then the headers, the path and the query, and finally the body. */
  #asked(exchange: ReadExchange): MaybePromise<AskedQuestion> {
    if (this.#verifier !== undefined || this.mount.method !== 'GET') return this.#checked(exchange)
    exchange.notBefore = notBeforeOf(exchange.request.headers, exchange.receivedAt.wall)
    return { question: this.#question(exchange.target) }
  }

  async #checked(exchange: ReadExchange): Promise<AskedQuestion> {
    const { target, request } = exchange
    if (this.#verifier !== undefined) {
      const bearer = bearerIn(request.headers.authorization)
      await requireToken(this.#verifier, bearer, 'splice scan proxy realm')
    }
    exchange.notBefore = notBeforeOf(request.headers, exchange.receivedAt.wall)
    const question = this.#question(target)
    const asked =
      this.mount.method === 'GET'
        ? { question }
        : await withBody(question, request, this.#bodyDigester(exchange))
    exchange.receivedAt = momentOf(this.#deps.clock)
    return asked
  }

  #bodyDigester(exchange: ReadExchange): OnBody | undefined {
    const { receipts } = this.#deps
    const { headers } = exchange.request
    if (receipts?.labelFor(headers['accept-signature'], exchange.receivedAt.wall) === undefined)
      return undefined
    return (sent) => {
      exchange.bodyDigest = receipts.requestDigest(sent, headers['content-digest'])
    }
  }

  #question(target: RequestTarget): Question {
    let question = this.#questions.get(target)
    if (question === undefined) {
      question = { read: this.mount.read, params: this.#readParams(target) }
      this.#questions.set(target, question)
    }
    return question
  }

  #answer(exchange: ReadExchange, asked: AskedQuestion): MaybePromise<void> {
    const served = this.#deps.reader.answer(asked.question, exchange)
    if (!(served instanceof Promise))
      return replies.add(() => this.#reply(exchange, asked, served, exchange.receivedAt))
    return served.then((loaded) =>
      replies.add(() => this.#reply(exchange, asked, loaded, momentOf(this.#deps.clock))),
    )
  }

  #reply(exchange: ReadExchange, { question, known }: AskedQuestion, served: Served, at: Moment): void {
    const { request } = exchange
    try {
      const representation = representationOf(question, this.mount.surface, served, known)
      if (served.how === 'hit' || served.how === 'stale') this.#events.hit()
      const reply = this.#responder.reply(representation, served, request, at)
      const label = this.#deps.receipts?.labelFor(request.headers['accept-signature'], at.wall)
      // The receipt of a POST must cover the body.
      const isCovered = this.mount.method === 'GET' || exchange.bodyDigest !== undefined
      if (label === undefined || !isCovered || reply.status === 304 || request.method === 'HEAD')
        return this.#send(exchange, reply)
      this.#sendWithReceipt(exchange, reply, { label, question, served, representation, at })
    } catch (error) {
      this.#fail(exchange, error)
    }
  }

  #sendWithReceipt(
    exchange: ReadExchange,
    reply: HttpReply,
    {
      question: { read, params },
      ...terms
    }: Pick<ReceiptWish, 'label' | 'served' | 'representation' | 'at'> & AskedQuestion,
  ): void {
    const { request, target, bodyDigest: contentDigest, notBefore } = exchange
    const { headers } = reply
    const receipt = this.#deps.receipts?.headersFor({
      ...terms,
      notBefore,
      question: { read: read.id, params },
      request: { method: this.mount.method, ...targetAsSent(request, target), contentDigest },
      quorum: headers['x-bft-quorum'] as string,
      agreed: headers['x-bft-agreed'] as string,
    })
    if (!(receipt instanceof Promise)) return this.#send(exchange, withReceipt(reply, receipt))
    receipt
      .then((headers) => replies.add(() => this.#send(exchange, withReceipt(reply, headers))))
      .catch((error: unknown) => this.#fail(exchange, error))
  }

  #send(exchange: ReadExchange, { status, headers, body }: HttpReply): void {
    const { response } = exchange
    response.writeHead(status, headers)
    response.end(body, 'latin1')
    this.#record(exchange, status, headers['x-request-id'])
  }

  #fail(exchange: ReadExchange, error: unknown): void {
    const { request, response } = exchange
    const problem = this.#deps.refuse(error, request, response.destroyed)
    if (response.headersSent) response.destroy()
    else if (problem !== undefined) {
      if (problem.status >= 500) problem.headers['x-bft-quorum'] = failedQuorumHeader(this.#quorumOf(error))
      response.writeHead(problem.status, problem.headers)
      response.end(problem.body)
    }
    this.#record(exchange, problem?.status ?? callerLeftStatus, requestIdOf(request.headers))
  }

  #quorumOf(error: unknown): QuorumReached | undefined {
    const reached = error instanceof SpliceError ? error.quorum : undefined
    return reached ?? this.#deps.reader.quorumOfNobody(this.mount.read)
  }

  #record({ request, begunAt }: ReadExchange, status: number, requestId: string | undefined): void {
    const seconds = (this.#deps.clock.now() - begunAt) / 1000
    this.#events.served(request.method ?? '', status, seconds, requestId)
  }
}

async function withBody(
  { read, params }: Question,
  request: IncomingMessage,
  onBody: OnBody | undefined,
): Promise<AskedQuestion> {
  const { body, maxBodyBytes, cachedContract, cachedContracts } = read
  if (body !== undefined && maxBodyBytes !== undefined) {
    const text = await readQuestion(request, { body, maxBodyBytes }, onBody)
    return { question: { read, params: { ...params, [bodyParam]: text } } }
  }
  const question = { read, params }
  if (cachedContracts !== undefined)
    return { question, known: await readTexts(request, cachedContracts.fields, onBody) }
  const { fields } = cachedContract ?? { fields: [] }
  const { [fields[0] ?? '']: known } = await readJsonBody(request, fields, onBody)
  return known === undefined ? { question } : { question, known }
}

/**
 * Returns the earliest time at which the answer may have been agreed, in milliseconds since 1970.
 * Undefined if the caller accepts an answer of any age.
 * @throws SpliceError `malformedHeader`
 */
export function notBeforeOf(headers: IncomingHttpHeaders, wall: number): number | undefined {
  const live = headers[liveHeader]
  const notBefore = headers[notBeforeHeader]
  if (live === undefined && notBefore === undefined) return undefined
  const since = notBefore === undefined ? undefined : milliseconds(notBefore)
  if (live === undefined || !isTrue(live)) return since
  return since === undefined ? wall : Math.max(wall, since)
}

function milliseconds(given: string | string[]): number {
  const [, seconds] = dateItem.exec(String(given)) ?? []
  if (seconds === undefined)
    throw malformed(notBeforeHeader, given, 'a time in seconds since 1970 after an @, such as @1767225600')
  return Number(seconds) * 1000
}

function isTrue(given: string | string[]): boolean {
  if (given === '?1') return true
  if (given === '?0') return false
  throw malformed(liveHeader, given, '?1 or ?0')
}

function malformed(name: string, given: string | string[], what: string): SpliceError {
  const value = String(given).slice(0, longestValue)
  return new SpliceError('malformedHeader', { name, value, what })
}

/**
 * Returns the path and the query as the caller sent them, which a receipt must cover. A URL parser
 * may have changed `target`.
 */
function targetAsSent({ url = '' }: IncomingMessage, target: RequestTarget): RequestTarget {
  return url === target.path || !url.startsWith('/') ? target : splitTarget(url)
}

function withReceipt(reply: HttpReply, receipt: Record<string, string> | undefined): HttpReply {
  if (receipt !== undefined) Object.assign(reply.headers, receipt)
  return reply
}

interface Routed {
  readonly lane: ReadLane
  readonly target: RequestTarget
}

/** Longer targets are parsed each time, so that callers cannot fill the memory. */
const mostRouted = { targets: 1_000, characters: 256 }

/** `@hono/node-server` rejects targets with other characters. */
const usualTarget = /^\/[!-[\]-~]*$/

export class ReadLanes {
  readonly all: readonly ReadLane[]
  readonly #router = new TrieRouter<ReadLane>()
  readonly #routed = new LRUCache<string, Routed>({ max: mostRouted.targets })
  #usualHost: string | undefined

  constructor(network: Surroundings['network'], deps: ReadLaneDeps) {
    this.all = mounts.map((mount) => new ReadLane(mount, network, deps))
    // The first match counts, so paths without a parameter come first.
    const isFixed = ({ mount }: ReadLane) => !mount.template.includes('{')
    for (const lane of [...this.all.filter(isFixed), ...this.all])
      this.#router.add(lane.mount.method, honoPath(lane.mount.template), lane)
  }

  /** Returns false, and serves nothing, if the target or the host is malformed, or if no read has this path. */
  tryServe(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '', headers } = request
    if (!this.#isUsualHost(headers.host)) return false
    const routed = (method === 'GET' && this.#routed.get(url)) || this.#route(url, method)
    routed?.lane.serve(routed.target, request, response)
    return routed !== undefined
  }

  #route(url: string, method: string): Routed | undefined {
    const parsed = usualTarget.test(url) ? URL.parse(`http://host${url}`) : null
    if (parsed === null) return undefined
    const target = { path: parsed.pathname, query: parsed.search.slice(1) }
    const path = target.path.includes('%') ? target.path.split('/').map(decoded).join('/') : target.path
    const [[found]] = this.#router.match(method === 'HEAD' ? 'GET' : method, path)
    if (found === undefined) return undefined
    const [lane] = found
    const routed = { lane, target }
    if (method === 'GET' && url.length <= mostRouted.characters) this.#routed.set(url, routed)
    return routed
  }

  /** A request of HTTP/1.0 may have no host. */
  #isUsualHost(host: string | undefined): boolean {
    if (host === undefined || host === this.#usualHost) return true
    const name = host.replace(/:\d+$/, '').toLowerCase()
    if (URL.parse(`http://${host}`)?.hostname !== name) return false
    this.#usualHost = host
    return true
  }
}

function decoded(segment: string): string {
  try {
    return decodeURI(segment)
  } catch {
    return segment
  }
}
