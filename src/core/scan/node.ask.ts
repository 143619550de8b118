import type { Dispatcher } from 'undici'
import type { Clock } from '../../base/lib/clock.ts'
import type { Budget, Claim } from './in-flight-budget.ts'
import { IncomingBody } from './node.body.ts'
import { codeOf, faultOf, isHangUp, lateness, messageOf, type Stage } from './node.connect.ts'
import type { Grouped, RequestGroup, ScanRequest, ScanResponse, TransportFault } from './node.ts'
import { ingressOf, type RateLimit } from './rate-limit.ts'

/**
 * One keep-alive connection: a client with at most one socket, which carries one request at a time.
 */
export interface KeepAliveConnection {
  readonly client: Pick<Dispatcher, 'dispatch'>
  served: boolean
}

export interface AskHost {
  readonly budget: Budget
  readonly rateLimit: RateLimit
  readonly clock: Clock
  readonly origin: string
  readonly prefix: string
  headersFor(request: ScanRequest): string[]
  take(): KeepAliveConnection
  give(connection: KeepAliveConnection): void
  settled(): void
}

/**
 * The maximum number of interim responses (status 1xx) to one request. Without a maximum, a node
 * could keep a connection busy forever.
 */
const maxInterim = 16

/**
 * The bytes of memory that a request reserves for its response before it starts. The `maxBytes` of
 * a lookup is not above `firstBytes`, so a lookup never waits for more bytes.
 */
const firstBytes = 65_536

const abandoned = new Error('the ask is over')

/**
 * One request to a node, from the wait for its turn to the outcome. To save allocations, the same
 * object is also the claim on the budget, the member of a request group, and undici's handler.
 *
 * The promise settles when the outcome is known. The slot and the connection are freed when undici
 * has finished the request, which may be later.
 */
export class Ask implements Claim, Grouped, Dispatcher.DispatchHandler {
  readonly promise: Promise<ScanResponse>
  readonly bytes: number
  readonly #host: AskHost
  readonly #request: ScanRequest
  readonly #group: RequestGroup
  #resolve!: (response: ScanResponse) => void
  #reject!: (reason: unknown) => void
  #cancelTurn: (() => void) | undefined
  #stage: Stage = 'new'
  #connection: KeepAliveConnection | undefined
  #controller: Dispatcher.DispatchController | undefined
  #reusedSocket = false
  #heard = false
  #retried = false
  #interim = 0
  #body: IncomingBody | undefined

  constructor(request: ScanRequest, group: RequestGroup, host: AskHost) {
    this.#request = request
    this.#group = group
    this.#host = host
    this.bytes = Math.min(request.maxBytes, firstBytes)
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): void {
    const { budget, rateLimit } = this.#host
    this.#group.add(this, this.#request.timeoutMs)
    const admission = budget.request(this)
    if (admission === 'admitted') {
      this.admitted()
      return
    }
    if (admission === 'waiting') this.#stage = 'waiting'
    if (rateLimit.refuses(ingressOf(this.#request))) this.#failHeldBack()
    else if (admission === 'full') this.failed('busy', 'too many asks wait for this node')
  }

  admitted(): void {
    this.#stage = 'in-turn'
    this.#body = new IncomingBody(this.#host.budget, this.bytes, this.#request.maxBytes, this)
    const turnMs = this.#host.rateLimit.tryTake(ingressOf(this.#request))
    if (turnMs === undefined) this.#failHeldBack()
    else if (turnMs === 0) this.#connect()
    else this.#cancelTurn = this.#host.clock.after(turnMs, () => this.#takeTurn())
  }

  abort(reason: unknown): void {
    if (this.#settle()) this.#reject(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // `onRequestStart` throws instead of calling `controller.abort`: after a throw, undici drops
    // only the request, and the connection stays usable.
    if (this.#stage === 'settled') throw abandoned
    this.#stage = 'sent'
    this.#controller = controller
    this.#reusedSocket = this.#connection?.served === true
  }

  onResponseStarted(): void {
    this.#heard = true
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > maxInterim) this.failed('reset', 'interim responses without end')
      return
    }
    this.#stage = 'answering'
    if (status === 429 || status === 503)
      this.#host.rateLimit.answered(status, headers['retry-after']?.toString())
    this.#body?.begin(controller, status, headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stage !== 'settled') this.#body?.write(chunk, controller)
  }

  onResponseEnd(): void {
    if (this.#connection !== undefined) this.#connection.served = true
    this.#letGo()
    if (this.#stage === 'settled') return
    this.#stage = 'ended'
    this.#body?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // The call is deferred, because `#broken` may start the next request on this client. undici
    // cannot take a request inside this callback.
    queueMicrotask(() => this.#broken(error))
  }

  #takeTurn(): void {
    if (this.#host.rateLimit.isPaused) this.#failHeldBack()
    else this.#connect()
  }

  #connect(): void {
    this.#stage = 'connecting'
    this.#connection = this.#host.take()
    this.#dispatch(this.#connection)
  }

  #dispatch({ client }: KeepAliveConnection): void {
    const { method, path, body } = this.#request
    const { origin, prefix } = this.#host
    client.dispatch(
      {
        origin,
        method,
        path: prefix === '' ? path : prefix + path,
        headers: this.#host.headersFor(this.#request),
        body: body ?? null,
      },
      this,
    )
  }

  #broken(error: Error): void {
    const connection = this.#connection
    if (connection !== undefined && this.#mayRetry(error)) {
      this.#retried = true
      this.#controller = undefined
      this.#stage = 'connecting'
      this.#dispatch(connection)
      return
    }
    const stage = this.#stage
    this.#letGo()
    if (stage !== 'settled') this.failed(faultOf(error, stage), messageOf(error), codeOf(error))
  }

  /**
   * Whether to send the request once more: the scan may close a kept-alive socket just as the next
   * request is written to it (RFC 9112 9.3.1). All requests to scans are reads, including POST, so
   * sending a request twice does no harm.
   */
  #mayRetry(error: Error): boolean {
    return this.#stage === 'sent' && this.#reusedSocket && !this.#heard && !this.#retried && isHangUp(error)
  }

  expire(): void {
    const [fault, what] = lateness(this.#stage, this.#body?.hasWaited === true)
    this.failed(fault, `${what} within ${this.#request.timeoutMs} ms`)
  }

  #failHeldBack(): void {
    this.failed('held-back', 'asked as often as it may be, or asked for a pause')
  }

  failed(fault: TransportFault, detail: string, code?: string): void {
    if (!this.#settle()) return
    const response = { kind: 'fault', fault, detail, ...(code !== undefined && { code }) } as const
    this.#resolve(this.#retried ? { ...response, resent: true } : response)
  }

  whole(): void {
    const body = this.#body as IncomingBody
    this.#stop()
    body.resent = this.#retried
    this.#resolve(body)
  }

  /**
   * Ends the request. Returns false if it had already ended; otherwise the caller must settle the
   * promise.
   */
  #settle(): boolean {
    const stage = this.#stage
    if (stage === 'settled') return false
    this.#stop()
    this.#controller?.abort(abandoned)
    if (stage === 'waiting') this.#host.budget.withdraw(this)
    this.#body?.release()
    if (stage === 'in-turn') {
      this.#cancelTurn?.()
      this.#host.budget.freeSlot()
    }
    return true
  }

  #stop(): void {
    this.#stage = 'settled'
    this.#group.remove(this)
    this.#host.settled()
  }

  #letGo(): void {
    const connection = this.#connection
    if (connection === undefined) return
    this.#connection = undefined
    this.#controller = undefined
    this.#host.give(connection)
    this.#host.budget.freeSlot()
  }
}
