import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectOverTls } from 'node:tls'
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis'
import { systemClock } from '../lib/clock.ts'
import { RespGuard } from './resp-guard.ts'

/** The settings of the guard that checks every reply on a connection to Redis. */
export interface Guarding {
  /** The size in bytes of the largest value that the client requests. */
  readonly largestValue: number
  /** Called with the reason when the guard closes a connection. */
  readonly ended: (why: Error) => void
}

interface Address {
  readonly host: string
  readonly port: number
}

interface ConnectorOptions extends Address {
  readonly tls?: object | null
  readonly disconnectTimeout: number
}

/** The options of an ioredis client without `replyMapping`, which has no effect under RESP2. */
export type SocketOptions = Omit<RedisOptions, 'replyMapping'>

type Connector = NonNullable<RedisOptions['Connector']>

/**
 * The time limit for the answer of one Sentinel, in milliseconds. When it has passed, the connector asks the next
 * Sentinel.
 */
const answerMs = 2_000
const closed = 'Connection is closed.'
/**
 * The time limit for closing a connection, in milliseconds. When it has passed, the socket is destroyed even if the
 * server has not closed its end.
 */
const closingMs = 500

/**
 * A connector whose timer for closing a socket does not keep the process alive. The connectors of ioredis start a timer
 * of 2 s, even for a socket that has already closed, and never cancel it.
 */
abstract class ClosingConnector extends AbstractConnector {
  override disconnect(): void {
    this.connecting = false
    const { stream } = this
    if (stream === undefined || stream.destroyed) return
    if ((stream as Socket).connecting) {
      stream.destroy()
      return
    }
    const cancel = systemClock.after(closingMs, () => stream.destroy())
    stream.once('close', cancel)
    stream.end()
  }
}

/** Returns a class of ioredis connectors that connect to one address and check every reply. */
export function connectorTo(guarding: Guarding): Connector {
  return class extends ClosingConnector {
    readonly #options: ConnectorOptions

    constructor(options: unknown) {
      super((options as ConnectorOptions).disconnectTimeout)
      this.#options = options as ConnectorOptions
    }

    override async connect(): Promise<Socket> {
      this.connecting = true
      await Promise.resolve()
      if (!this.connecting) throw new Error(closed)
      const socket = open(this.#options, this.#options.tls ?? undefined, guarding)
      socket.once('error', (error) => {
        this.firstError = error
      })
      this.stream = socket
      return socket
    }
  }
}

/** The Sentinels that a connector asks for the address of the master, and the options for asking them. */
export interface Sentinels {
  readonly addresses: readonly Address[]
  /** The name of the group of servers, as Sentinels know it. */
  readonly group: string
  readonly tls: boolean
  /** The options for the connection to a Sentinel. */
  readonly options: SocketOptions
  /** Returns the milliseconds to wait after this many rounds in which no Sentinel knew a master. */
  readonly retryMs: (rounds: number) => number
  /** Called after each round in which no Sentinel named a master. */
  readonly unnamed: () => void
}

/**
 * Returns a class of ioredis connectors that connect to the master of a group. A connector asks the
 * Sentinels, one after another, for the master's address.
 */
export function connectorToMaster(sentinels: Sentinels, guarding: Guarding): Connector {
  const { addresses, group, tls, options, retryMs, unnamed } = sentinels
  let turn = 0
  return class extends ClosingConnector {
    #closing = new AbortController()

    constructor(options: unknown) {
      super((options as ConnectorOptions).disconnectTimeout)
    }

    override disconnect(): void {
      this.#closing.abort()
      super.disconnect()
    }

    /**
     * Whether ioredis may use the server to which it has connected. False if the server reports that it is no
     * master, because a Sentinel may name a former master. ioredis then reconnects.
     */
    override check({ role }: { readonly role?: string } = {}): boolean {
      return role === undefined || role === 'master'
    }

    override async connect(): Promise<Socket> {
      this.connecting = true
      this.#closing = new AbortController()
      const { signal } = this.#closing
      for (let round = 1; ; round++) {
        for (let asked = 0; asked < addresses.length; asked++) {
          const sentinel = addresses[turn++ % addresses.length] as Address
          const master = await namedBy({ ...options, ...sentinel, commandTimeout: answerMs }, group, signal)
          if (!this.connecting) throw new Error(closed)
          if (master === undefined) continue
          const socket = open(master, tls ? {} : undefined, guarding)
          this.stream = socket
          return socket
        }
        unnamed()
        await rest(retryMs(round), signal)
        if (!this.connecting) throw new Error(closed)
      }
    }
  }
}

/**
 * Asks one Sentinel for the master's address. Resolves with undefined if the Sentinel cannot be asked, if it knows no
 * master, or if the signal aborts.
 */
async function namedBy(
  options: SocketOptions,
  group: string,
  signal: AbortSignal,
): Promise<Address | undefined> {
  const client = new Redis({ ...options, retryStrategy: () => null })
  client.on('error', () => {})
  const leave = () => client.disconnect()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  try {
    const named = (await client.call('SENTINEL', 'get-master-addr-by-name', group)) as [string, string] | null
    return named === null ? undefined : { host: named[0], port: Number(named[1]) }
  } catch {
    return undefined
  } finally {
    signal.removeEventListener('abort', leave)
    leave()
  }
}

/** Resolves after this time, or as soon as the signal is aborted. */
async function rest(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const wake = () => resolve()
  const cancel = systemClock.after(ms, wake)
  signal.addEventListener('abort', wake, { once: true })
  if (signal.aborted) wake()
  await promise
  signal.removeEventListener('abort', wake)
  cancel()
}

function open({ host, port }: Address, tls: object | undefined, guarding: Guarding): Socket {
  return guarded(
    tls === undefined ? connectPlainly({ host, port }) : connectOverTls({ host, port, ...tls }),
    guarding,
  )
}

/**
 * Replaces `push` and `write` of a socket, so that a guard sees every command and checks every reply. If the guard
 * rejects a reply, the socket is destroyed.
 */
function guarded(socket: Socket, { largestValue, ended }: Guarding): Socket {
  const guard = new RespGuard(largestValue)
  const push = socket.push.bind(socket)
  const write = socket.write.bind(socket) as (bytes: Buffer, ...rest: unknown[]) => boolean
  const end = (error: Error): false => {
    ended(error)
    socket.destroy(error)
    return false
  }
  socket.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
    if (socket.destroyed) return false
    if (chunk === null) return push(null, encoding)
    try {
      const judged = guard.heard(chunk)
      return judged.length === 0 || push(judged, encoding)
    } catch (error) {
      return end(error as Error)
    }
  }
  socket.write = (data: string | Uint8Array, ...rest: unknown[]) => {
    const bytes =
      typeof data === 'string' ? Buffer.from(data) : Buffer.from(data.buffer, data.byteOffset, data.length)
    guard.sent(bytes)
    return write(bytes, ...rest)
  }
  return socket
}
