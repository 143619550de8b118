import type { Dispatcher } from 'undici'
import type { AbortNotice } from '../lib/abort.ts'
import type { Clock } from '../lib/clock.ts'
import { AddressBlockedError } from './address-guard.ts'
import { BodyCollector } from './alike-bodies.ts'
import type { Budget, Claim } from './budget.ts'
import { BodyDecoder } from './node.body.ts'
import { ConnectTimeoutError } from './node.connect.ts'
import type { ScanRequest, ScanResponse, TransportFault } from './node.ts'
import { ingressOf, type Pace } from './pace.ts'

/** One keep-alive connection: a client with one socket at most, one request at a time. */
export interface Connection {
  readonly client: Pick<Dispatcher, 'dispatch'>
  /** Whether the present socket has carried a whole response before. */
  served: boolean
}

/** What an ask needs of its node. */
export interface AskHost {
  readonly budget: Budget
  readonly pace: Pace
  readonly clock: Clock
  /** Goes before every path. */
  readonly prefix: string
  headersFor(request: ScanRequest): string[]
  take(): Connection
  give(connection: Connection): void
  /** The ask's promise is settled. */
  settled(): void
}

/** More interim responses than this are a way to keep a connection busy with nothing. */
const maxInterim = 16

/** Every chunk costs a call, so bodies beyond so many chunks must bring so many bytes a chunk. */
const freeChunks = 1024
const minimumChunkBytes = 64

type Stage = 'new' | 'waiting' | 'in-turn' | 'connecting' | 'sent' | 'answering' | 'decoding' | 'settled'

const abandoned = new Error('the ask is over')
const once = { once: true }

/**
 * One ask on its way: the claim on the budget, the handler that undici calls, and the listener of the signal, in one
 * object, because this runs for every node of every uncached read.
 *
 * It has two ends. The promise settles as soon as the outcome is known. The slot and the connection go back
 * when undici lets go of the request, which for one that still waits for its connection is later.
 */
export class Ask implements Claim, Dispatcher.DispatchHandler {
  readonly promise: Promise<ScanResponse>
  readonly bytes: number
  readonly #host: AskHost
  readonly #request: ScanRequest
  readonly #signal: AbortNotice
  #resolve!: (response: ScanResponse) => void
  #reject!: (reason: unknown) => void
  #cancelTimer!: () => void
  #cancelTurn: (() => void) | undefined
  #stage: Stage = 'new'
  /** Held from admission until undici lets go. */
  #connection: Connection | undefined
  /** Held from the moment the request is written until undici lets go. */
  #controller: Dispatcher.DispatchController | undefined
  #reusedSocket = false
  #heard = false
  #retried = false
  #interim = 0
  #status = 0
  #chunks = 0
  #received = 0
  #collector: BodyCollector | undefined
  #decoder: BodyDecoder | undefined

  constructor(request: ScanRequest, signal: AbortNotice, host: AskHost) {
    this.#request = request
    this.#signal = signal
    this.#host = host
    this.bytes = request.maxBytes
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  start(): void {
    const { clock, budget, pace } = this.#host
    this.#cancelTimer = clock.after(this.#request.timeoutMs, () => this.#expire())
    this.#signal.addEventListener('abort', this, once)
    const admission = budget.request(this)
    if (admission === 'admitted') {
      this.admitted()
      return
    }
    if (admission === 'waiting') this.#stage = 'waiting'
    if (pace.refuses(ingressOf(this.#request))) this.#failHeldBack()
    else if (admission === 'full') this.#fail('busy', 'too many asks wait for this node')
  }

  admitted(): void {
    this.#stage = 'in-turn'
    const turnMs = this.#host.pace.tryTake(ingressOf(this.#request))
    if (turnMs === undefined) this.#failHeldBack()
    else if (turnMs === 0) this.#connect()
    else this.#cancelTurn = this.#host.clock.after(turnMs, () => this.#takeTurn())
  }

  /** The signal aborted. */
  handleEvent(): void {
    if (this.#settle()) this.#reject(this.#signal.reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Thrown and not aborted: undici then drops the request and keeps the connection.
    if (this.#stage === 'settled') throw abandoned
    this.#stage = 'sent'
    this.#controller = controller
    this.#reusedSocket = this.#connection?.served === true
  }

  onResponseStarted(): void {
    this.#heard = true
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) {
      if (++this.#interim > maxInterim) this.#fail('reset', 'interim responses without end')
      return
    }
    this.#stage = 'answering'
    this.#status = status
    if (status === 429 || status === 503) this.#host.pace.answered(status, headers['retry-after']?.toString())
    const announced = headers['content-length']
    const length = typeof announced === 'string' ? Number(announced) : undefined
    if (length !== undefined && length > this.bytes) {
      this.#fail('oversized', `announces ${length} bytes, the limit is ${this.bytes}`)
      return
    }
    const coding = headers['content-encoding']?.toString().toLowerCase()
    const isPlain = coding === undefined || coding === 'identity'
    const lengths = { maxBytes: this.bytes, expected: isPlain ? length : undefined }
    const collector = new BodyCollector(lengths, this.#request.alike)
    this.#collector = collector
    if (!isPlain) this.#decode(coding, collector)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stage === 'settled') return
    this.#received += chunk.length
    if (++this.#chunks > freeChunks && this.#received < this.#chunks * minimumChunkBytes) {
      this.#fail('oversized', `${this.#chunks} chunks for ${this.#received} bytes`)
    } else if (this.#decoder === undefined) {
      if (this.#collector?.add(chunk) === false) this.#failOversized()
    } else if (this.#received > this.bytes) {
      this.#failOversized()
    } else if (!this.#decoder.write(chunk)) {
      controller.pause()
    }
  }

  onResponseEnd(): void {
    if (this.#connection !== undefined) this.#connection.served = true
    this.#letGo()
    if (this.#stage === 'settled') return
    if (this.#decoder === undefined) {
      this.#respond(this.#collector?.take() ?? Buffer.alloc(0))
    } else {
      this.#stage = 'decoding'
      this.#decoder.end()
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    // Later, because letting go may put the next ask on this client, which undici is not ready for in here.
    queueMicrotask(() => this.#broken(error))
  }

  #takeTurn(): void {
    if (this.#host.pace.isPaused) this.#failHeldBack()
    else this.#connect()
  }

  #connect(): void {
    this.#stage = 'connecting'
    this.#connection = this.#host.take()
    this.#dispatch(this.#connection)
  }

  #dispatch({ client }: Connection): void {
    const { method, path, body } = this.#request
    const { prefix } = this.#host
    client.dispatch(
      {
        method,
        path: prefix === '' ? path : prefix + path,
        headers: this.#host.headersFor(this.#request),
        body: body ?? null,
      },
      this,
    )
  }

  #decode(coding: string, collector: BodyCollector): void {
    this.#decoder = BodyDecoder.tryCreate(coding, collector, {
      decoded: (body) => this.#respond(body),
      failed: (fault, detail) => this.#fail(fault, detail),
      drained: () => this.#controller?.resume(),
    })
    if (this.#decoder === undefined) this.#fail('not-json', 'a content coding that was not asked for')
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
    if (stage !== 'settled') this.#fail(faultOf(error, stage), describe(error))
  }

  /**
   * A kept-alive socket may be closed by the peer just as the next request is written to it (RFC 9112 9.3.1). All
   * that scans are asked are reads, POST included, so the request goes out once more, on a new socket.
   */
  #mayRetry(error: Error): boolean {
    return this.#stage === 'sent' && this.#reusedSocket && !this.#heard && !this.#retried && isHangUp(error)
  }

  #expire(): void {
    const [fault, what] = this.#lateness()
    this.#fail(fault, `${what} within ${this.#request.timeoutMs} ms`)
  }

  #lateness(): [fault: TransportFault, what: string] {
    switch (this.#stage) {
      case 'new':
      case 'waiting':
        return ['busy', 'not admitted']
      case 'in-turn':
        return ['held-back', 'not its turn']
      case 'connecting':
        return ['timeout', 'not connected']
      case 'sent':
        return ['timeout', 'no response']
      case 'answering':
      case 'decoding':
      case 'settled':
        return ['timeout', 'no whole body']
    }
  }

  #failHeldBack(): void {
    this.#fail('held-back', 'asked as often as it may be, or asked for a pause')
  }

  #failOversized(): void {
    this.#fail('oversized', `more than ${this.bytes} bytes`)
  }

  #fail(fault: TransportFault, detail: string): void {
    if (!this.#settle()) return
    const response = { kind: 'fault', fault, detail } as const
    this.#resolve(this.#retried ? { ...response, resent: true } : response)
  }

  #respond(body: Buffer): void {
    const { budget } = this.#host
    this.#stop()
    budget.freeBytes(this.bytes - body.length)
    this.#resolve(new WholeResponse(this.#status, body, this.#retried, budget, this.#collector))
  }

  /** Ends the ask without a response: stops whatever still runs and gives the bytes back. False when it was over. */
  #settle(): boolean {
    const stage = this.#stage
    if (stage === 'settled') return false
    this.#stop()
    this.#decoder?.destroy()
    this.#collector?.drop()
    this.#controller?.abort(abandoned)
    if (stage === 'waiting') this.#host.budget.withdraw(this)
    else if (stage !== 'new') this.#host.budget.freeBytes(this.bytes)
    if (stage === 'in-turn') {
      this.#cancelTurn?.()
      this.#host.budget.freeSlot()
    }
    return true
  }

  #stop(): void {
    this.#stage = 'settled'
    this.#cancelTimer()
    this.#signal.removeEventListener('abort', this)
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

class WholeResponse {
  readonly kind = 'response'
  readonly status: number
  readonly body: Buffer
  readonly resent: boolean
  readonly #budget: Budget
  readonly #collector: BodyCollector | undefined
  #held: number

  constructor(
    status: number,
    body: Buffer,
    resent: boolean,
    budget: Budget,
    collector: BodyCollector | undefined,
  ) {
    this.status = status
    this.body = body
    this.resent = resent
    this.#budget = budget
    this.#collector = collector
    this.#held = body.length
  }

  release(): void {
    const held = this.#held
    this.#held = 0
    this.#collector?.drop()
    if (held > 0) this.#budget.freeBytes(held)
  }
}

/** Where it broke says what it is: before a socket, before the response's headers were whole, or after. */
function faultOf(error: Error, stage: Stage): TransportFault {
  if (stage === 'answering') return 'truncated'
  if (stage === 'sent') return codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW' ? 'oversized' : 'reset'
  if (error instanceof AddressBlockedError) return 'blocked'
  return error instanceof ConnectTimeoutError ? 'timeout' : 'unreachable'
}

function isHangUp(error: Error): boolean {
  const code = codeOf(error)
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE'
}

function codeOf(error: Error): string | undefined {
  return (error as NodeJS.ErrnoException).code
}

function describe(error: Error): string {
  // The errors of several addresses come as one without a message.
  return error.message !== '' ? error.message : (codeOf(error) ?? error.name)
}
