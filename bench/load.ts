import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A whole response. */
export interface Response {
  readonly status: number
  readonly head: string
  readonly body: Buffer
}

const endOfHead = Buffer.from('\r\n\r\n')
const statusAt = 'HTTP/1.1 '.length

/**
 * One keep-alive connection that asks one question after the other: just enough of HTTP to know where an answer ends,
 * so that asking costs less than answering.
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

  /** False once the server has closed it. */
  get isOpen(): boolean {
    return !this.#socket.destroyed && this.#socket.readable
  }

  /** @param request its bytes; no other may be under way. */
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

/** The bytes of a GET. */
export function getRequest(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n\r\n`)
}

/** For servers that want a token and do not look into it. */
export const anyToken = 'anybody'

/** The bytes of a POST of JSON; with a bearer token, where one is given. */
export function postRequest(path: string, json: string, token?: string): Buffer {
  const length = `content-length: ${Buffer.byteLength(json)}`
  const bearer = token === undefined ? '' : `authorization: bearer ${token}\r\n`
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: */*\r\n${bearer}content-type: application/json\r\n${length}\r\n\r\n${json}`,
  )
}

/** Undefined while there is more to come. */
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

/** What a load came to. */
export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Of one core: how busy this process was. */
  readonly loadCpu: number
}

/**
 * Keeps every caller asking for `ms` milliseconds.
 * @param next the request of a caller, by its index and how many it made before.
 * @throws where a response has another status than `status`.
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

/**
 * Asks at random moments for so many milliseconds: the gaps between two of them are distributed exponentially, as those
 * of many callers are that know nothing of each other. Who asks does not wait for who asked before, unless every
 * connection is taken.
 * @param random uniform in [0, 1).
 * @returns how long each answer took from the moment it was asked for, in microseconds.
 */
export async function askAtRandom(
  callers: readonly Caller[],
  request: Buffer,
  { ms, meanGapMs, random }: { ms: number; meanGapMs: number; random: () => number },
): Promise<readonly number[]> {
  const asks: Promise<number>[] = []
  const ask = async (index: number) => {
    const asked = performance.now()
    const before = asks[index - callers.length]
    if (before !== undefined) await before
    const { status, body } = await (callers[index % callers.length] as Caller).ask(request)
    const tookUs = (performance.now() - asked) * 1_000
    if (status !== 200) throw new Error(`${status}: ${body}`)
    return tookUs
  }
  const started = performance.now()
  for (let at = 0; ; ) {
    at -= meanGapMs * Math.log(1 - random())
    if (at >= ms) break
    const wait = started + at - performance.now()
    if (wait > 0) await sleep(wait)
    asks.push(ask(asks.length))
  }
  return Promise.all(asks)
}
