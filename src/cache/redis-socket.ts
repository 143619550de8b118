import { connect as connectPlainly, type Socket } from 'node:net'
import { connect as connectOverTls } from 'node:tls'
import { AbstractConnector, Redis, type RedisOptions } from 'ioredis'
import { systemClock } from '../lib/clock.ts'
import { RespGuard } from './resp-guard.ts'

export interface Guarding {
  readonly largestValue: number
  readonly closedByGuard: (why: Error) => void
}

interface Address {
  readonly host: string
  readonly port: number
}

interface ConnectorOptions extends Address {
  readonly tls?: object | null
  readonly disconnectTimeout: number
}

/**
 * The options of ioredis except `replyMapping`, which has no effect on RESP2, the protocol version
 * that the daemon speaks.
 */
export type SocketOptions = Omit<RedisOptions, 'replyMapping'>

type Connector = NonNullable<RedisOptions['Connector']>

const sentinelTimeoutMs = 2_000
const closed = 'Connection is closed.'
const closingMs = 500

/**
 * Closes sockets with a timer that does not keep the process alive. The connectors of ioredis start
 * a timer of 2 s even for a closed socket, and never cancel it.
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

export interface Sentinels {
  readonly addresses: readonly Address[]
  readonly group: string
  readonly tls: boolean
  readonly options: SocketOptions
  readonly retryMs: (rounds: number) => number
  readonly noMasterFound: () => void
}

export function connectorToMaster(sentinels: Sentinels, guarding: Guarding): Connector {
  const { addresses, group, tls, options, retryMs, noMasterFound } = sentinels
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
     * Rejects a server that is no master, because a Sentinel may name a former master. ioredis then
     * reconnects.
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
          const master = await namedBy(
            { ...options, ...sentinel, commandTimeout: sentinelTimeoutMs },
            group,
            signal,
          )
          if (!this.connecting) throw new Error(closed)
          if (master === undefined) continue
          const socket = open(master, tls ? {} : undefined, guarding)
          this.stream = socket
          return socket
        }
        noMasterFound()
        await rest(retryMs(round), signal)
        if (!this.connecting) throw new Error(closed)
      }
    }
  }
}

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
 * Wraps `push` and `write` of a socket, so that `RespGuard` sees every command and checks every
 * reply. An invalid reply destroys the socket.
 */
function guarded(socket: Socket, { largestValue, closedByGuard }: Guarding): Socket {
  const guard = new RespGuard(largestValue)
  const push = socket.push.bind(socket)
  const write = socket.write.bind(socket) as (bytes: Buffer, ...rest: unknown[]) => boolean
  const end = (error: Error): false => {
    closedByGuard(error)
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
