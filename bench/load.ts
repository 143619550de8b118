import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** An HTTP response, complete with its body. */
export interface Response {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

const endOfHead = Buffer.from('\r\n\r\n')
const statusAt = 'HTTP/1.1 '.length

/**
 * A keep-alive connection that sends one request after the other. It parses only as much of a response as is needed to
 * find its end, so that asking takes less CPU time than answering.
 */
export class Caller implements Disposable {
  readonly #socket: Socket
  #held: Buffer | undefined
  #waiting: PromiseWithResolvers<Response> | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the connection was closed')))
  }

  static async connect(url: string): Promise<Caller> {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    return new Caller(socket)
  }

  static async connectMany(url: string, count: number): Promise<readonly Caller[]> {
    const callers: Caller[] = []
    const atOnce = 100
    while (callers.length < count) {
      const batch = Math.min(atOnce, count - callers.length)
      callers.push(...(await Promise.all(Array.from({ length: batch }, () => Caller.connect(url)))))
    }
    return callers
  }

  /** Whether the connection is open. False once the server has closed it. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable
  }

  /**
   * Sends a request. No other request may be in progress on this connection.
   * @param request the bytes of the request.
   */
  ask(request: Buffer): Promise<Response> {
    this.#waiting = Promise.withResolvers<Response>()
    if (this.#socket.destroyed) this.#fail(new Error('the connection was closed while idle'))
    else this.#socket.write(request)
    return this.#waiting.promise
  }

  [Symbol.dispose](): void {
    this.#waiting = undefined
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#held === undefined ? chunk : Buffer.concat([this.#held, chunk])
    const response = parse(bytes)
    this.#held = response === undefined ? bytes : undefined
    if (response !== undefined) this.#waiting?.resolve(response)
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
  }
}

export function getRequest(path: string, headers = ''): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n${headers}\r\n`)
}

/** A token for servers that require one and do not check it. */
export const anyToken = 'anybody'

/** Returns the bytes of a POST request with a JSON body, and with a bearer token if one is given. */
export function postRequest(path: string, json: string, token?: string): Buffer {
  const length = `content-length: ${Buffer.byteLength(json)}`
  const bearer = token === undefined ? '' : `authorization: bearer ${token}\r\n`
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n${bearer}content-type: application/json\r\n${length}\r\n\r\n${json}`,
  )
}

/** Parses a response. Returns undefined if it has not arrived completely. */
function parse(bytes: Buffer): Response | undefined {
  const end = bytes.indexOf(endOfHead)
  if (end === -1) return undefined
  const head = bytes.toString('latin1', 0, end)
  const length = contentLength(head)
  const start = end + endOfHead.length
  if (bytes.length < start + length) return undefined
  return { status: Number(head.slice(statusAt, statusAt + 3)), head, body: bytes.subarray(start) }
}

const lengthHeader = /\r\ncontent-length: (\d+)/i

function contentLength(head: string): number {
  const length = lengthHeader.exec(head)?.[1]
  if (length === undefined) throw new Error('a response without a length')
  return Number(length)
}

/** The result of sending requests for some time. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** The CPU time of this process, which sends the requests, as a share of one core. */
  readonly loadCpu: number
}

/**
 * Makes every caller send one request after the other for `ms` milliseconds.
 * @param next returns the next request of a caller, by the caller's index and the number of its earlier
 * requests.
 * @throws if a response has a status other than `status`.
 */
export async function drive(
  callers: readonly Caller[],
  ms: number,
  next: (caller: number, count: number) => Buffer,
  status: number,
): Promise<LoadResult> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  let requests = 0
  await Promise.all(
    callers.map(async (caller, index) => {
      for (let count = 0; performance.now() - started < ms; count++) {
        const response = await caller.ask(next(index, count))
        if (response.status !== status) throw new Error(`${response.status}: ${response.body}`)
        requests++
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { requests, seconds, loadCpu: (user + system) / 1e6 / seconds }
}
