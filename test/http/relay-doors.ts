import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Relay, type RelayOptions } from '../../src/server/http/relay.ts'
import { relayedLedgerApi } from '../../src/server/http/routes/ledger-api.ts'
import { HttpServer } from '../../src/server/http/server.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { silentEvents } from '../telemetry/silent-events.ts'
import { publicApi } from './public-api.ts'

export interface Asked {
  readonly method?: string
  readonly headers?: readonly string[]
  /** The body in parts. The next part is sent when the participant has the one before. */
  readonly body?: Buffer | string
  readonly token?: string | undefined
}

export interface Told {
  readonly status: number
  readonly reason: string | undefined
  /** Names and values in turn. */
  readonly raw: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  // biome-ignore lint/suspicious/noExplicitAny: tests read members of many types from it
  readonly json: any
}

/** The daemon's public address, with a relay to a participant that a test programs on its socket. */
export async function openRelay(
  options: Partial<Omit<RelayOptions, 'url'>> & {
    /** The path prefix of the participant's API. */
    readonly path?: string
    readonly tls?: { readonly cert: string; readonly key: string }
  } = {},
) {
  await using opened = new AsyncDisposableStack()
  let serve: RequestListener = (_, response) => void response.end()
  const sockets = new Set<Socket>()
  const { relay: relayed = 'reads', limits = {}, path = '', tls } = options
  const listener: RequestListener = (given, response) => serve(given, response)
  const participant = tls === undefined ? createServer(listener) : createSecureServer(tls, listener)
  participant.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
  })
  await once(participant.listen(0, '127.0.0.1'), 'listening')
  opened.defer(() => {
    participant.close()
    for (const socket of sockets) socket.destroy()
  })
  const { port } = participant.address() as AddressInfo
  const clock = new ManualClock()
  const api = publicApi({ ledgerApiRoutes: relayedLedgerApi, clock })
  const relay = opened.use(
    new Relay(
      { url: `http${tls === undefined ? '' : 's'}://127.0.0.1:${port}${path}`, relay: relayed, limits },
      {
        clock,
        verifier: {
          async verify(bearer) {
            if (bearer.kind !== 'token') return { kind: 'missing' }
            if (bearer.token === 'unchecked') return { kind: 'unavailable', reason: 'no keys' }
            return bearer.token === 'good'
              ? { kind: 'ok', subject: 'alice', claims: {} }
              : { kind: 'invalid', reason: 'bad' }
          },
        },
        refuse: api.refuse,
        common: api.common,
        events: silentEvents,
      },
    ),
  )
  const server = await HttpServer.listen(
    { host: '127.0.0.1', port: 0 },
    {
      ...api,
      shortcut: (...exchange) => relay.tryServe(...exchange) || api.shortcut(...exchange),
      upgrades: relay,
    },
    clock,
  )
  opened.defer(() => server.close(0))
  const doorPort = Number(new URL(server.url).port)

  const begin = (target: string, { method = 'GET', headers = [], token = 'good' }: Asked = {}) =>
    request({
      host: '127.0.0.1',
      port: doorPort,
      path: target,
      method,
      headers: [
        'host',
        'daemon.example',
        ...(token === '' ? [] : ['authorization', `Bearer ${token}`]),
        ...headers,
      ],
      agent: false,
    })
  const held = opened.move()
  return {
    clock,
    relay,
    server,
    url: server.url,
    participant,
    /** The connections to the participant. */
    sockets,
    answers(next: RequestListener) {
      serve = next
    },
    begin,
    async asks(target: string, asked: Asked = {}): Promise<Told> {
      const { body } = asked
      const length = body === undefined ? [] : ['content-length', String(Buffer.byteLength(body))]
      const sent = begin(target, { ...asked, headers: [...(asked.headers ?? []), ...length] })
      sent.end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      return told(answer)
    },
    /** Opens a bare connection to the daemon. */
    async connects(): Promise<Socket> {
      const socket = connect(doorPort, '127.0.0.1')
      socket.on('error', () => {})
      await once(socket, 'connect')
      return socket
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  }
}

export type RelayDoors = Awaited<ReturnType<typeof openRelay>>

export async function told(answer: IncomingMessage): Promise<Told> {
  const { statusCode: status = 0, statusMessage: reason, rawHeaders: raw, headers } = answer
  const body = await buffer(answer)
  const json = headers['content-type'] === 'application/json' ? JSON.parse(body.toString()) : undefined
  return { status, reason, raw, headers, body, json }
}

/** Writes for as long as the connection takes bytes, without end. Returns a function that tells how many it took. */
export function pours(to: ServerResponse | Socket, piece: Buffer = Buffer.alloc(65_536, 'x')): () => number {
  let taken = 0
  const more = () => {
    while (!to.destroyed) {
      taken += piece.length
      if (!to.write(piece)) return
    }
  }
  to.on('drain', more).on('error', () => {})
  more()
  return () => taken
}

/** Resolves when a number stays the same while other requests make the round trip through the relay. */
export async function stands({ asks }: RelayDoors, count: () => number): Promise<number> {
  for (let last = -1; ; ) {
    const now = count()
    if (now === last) return now
    last = now
    for (let trip = 0; trip < 20; trip++) await asks('/v2/version', { token: '' })
  }
}
