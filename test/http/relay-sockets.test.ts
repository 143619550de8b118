import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { type RawData, WebSocket, WebSocketServer } from 'ws'
import { selfSigned, trust } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { openRelay, pours, type RelayDoors, stands } from './relay-doors.ts'

const path = '/v2/updates'

/** Lets the participant accept WebSockets. The caller's end is opened by `open`. */
async function openSockets(options: Parameters<typeof openRelay>[0] = {}) {
  const doors = await openRelay(options)
  const server = new WebSocketServer({ noServer: true, handleProtocols: () => 'daml.ws.auth' })
  const asked: IncomingMessage[] = []
  const accepted: WebSocket[] = []
  doors.participant.on('upgrade', (request, socket, head) => {
    asked.push(request)
    server.handleUpgrade(request, socket, head, (ws) => accepted.push(ws))
  })
  return {
    ...doors,
    asked,
    async open(target = path, protocols = ['jwt.token.good', 'daml.ws.auth'], headers = {}) {
      const caller = new WebSocket(doors.url.replace('http', 'ws') + target, protocols, { headers })
      await once(caller, 'open')
      await eventually(() => accepted.length > 0)
      return { caller, participant: accepted.pop() as WebSocket }
    },
    /** Resolves with the status and the body of a handshake that fails. */
    async refusal(target = path, protocols = ['daml.ws.auth', 'jwt.token.good']) {
      const caller = new WebSocket(doors.url.replace('http', 'ws') + target, protocols)
      const [, answer] = (await once(caller, 'unexpected-response')) as [unknown, IncomingMessage]
      const body = String(Buffer.concat(await answer.toArray()))
      return { status: answer.statusCode, headers: answer.headers, body }
    },
    [Symbol.asyncDispose]: () => doors[Symbol.asyncDispose](),
  }
}

const textOf = (of: readonly unknown[]) => String(of[0] as RawData)

describe('a WebSocket below /v2', () => {
  test('carries texts, bytes and pings of any size in both directions', async () => {
    await using doors = await openSockets({ path: '/participant' })
    const { caller, participant } = await doors.open(`${path}?a=%2F`)
    for (const [from, to] of [
      [caller, participant],
      [participant, caller],
    ] as const) {
      for (const text of ['{}', 'é'.repeat(500_000)]) {
        const heard = once(to, 'message')
        from.send(text)
        expect(textOf(await heard)).toBe(text)
      }
      const bytes = once(to, 'message')
      from.send(Buffer.from([0, 255, 1]))
      expect(await bytes).toEqual([Buffer.from([0, 255, 1]), true])
      const pong = once(from, 'pong')
      from.ping('are you there')
      expect(textOf(await pong)).toBe('are you there')
    }
    expect(doors.asked[0]?.url).toBe(`/participant${path}?a=%2F`)
    expect(doors.relay.readers).toBe(1)
    caller.terminate()
    await eventually(() => doors.relay.readers === 0 && doors.sockets.size === 0)
  })

  test('has the subprotocols, the extensions and the token of its caller', async () => {
    await using doors = await openSockets()
    const { caller } = await doors.open()
    expect(caller.protocol).toBe('daml.ws.auth')
    const { headers } = doors.asked[0] as IncomingMessage
    expect(headers).toMatchObject({
      'sec-websocket-protocol': 'jwt.token.good,daml.ws.auth',
      'sec-websocket-extensions': expect.stringContaining('permessage-deflate'),
    })
    await doors.open('//v2/updates/', ['daml.ws.auth'], { authorization: 'Bearer good' })
    expect(doors.asked[1]).toMatchObject({ url: path, headers: { authorization: 'Bearer good' } })
    caller.terminate()
  })

  test('begins without the headers that only the daemon may send', async () => {
    await using doors = await openSockets()
    doors.participant.prependListener('upgrade', (_, socket) => {
      const answer = 'HTTP/1.1 101 Yes\r\nconnection: upgrade\r\nupgrade: websocket\r\n'
      socket.end(`${answer}x-kept: 1\r\nX-Bft-Agreed: "a"\r\naccess-control-allow-origin: b\r\n\r\n`)
    })
    const headers = ['connection', 'upgrade', 'upgrade', 'websocket']
    const [answer] = (await once(doors.begin(path, { headers }).end(), 'upgrade')) as [IncomingMessage]
    expect(answer.rawHeaders).toEqual([...headers, 'x-kept', '1'])
  })

  test.each([1000, 1008, 4001])('is closed with the code that either end gives: %i', async (code) => {
    await using doors = await openSockets()
    for (const isCaller of [true, false]) {
      const { caller, participant } = await doors.open()
      const [from, to] = isCaller ? [caller, participant] : [participant, caller]
      const closed = [once(from, 'close'), once(to, 'close')]
      from.close(code, 'because')
      for (const [heard, reason] of await Promise.all(closed))
        expect([heard, String(reason)]).toEqual([code, 'because'])
    }
    await eventually(() => doors.relay.readers === 0 && doors.sockets.size === 0)
  })

  test('ends when the other end vanishes', async () => {
    await using doors = await openSockets()
    const one = await doors.open()
    const left = once(one.participant, 'close')
    one.caller.terminate()
    expect((await left)[0]).toBe(1006)
    const other = await doors.open()
    const cut = once(other.caller, 'close')
    other.participant.terminate()
    expect((await cut)[0]).toBe(1006)
  })

  test('is read no further than its slow reader reads, in either direction', async () => {
    await using doors = await openSockets()
    const { caller, participant } = await doors.open()
    for (const [from, to] of [
      [participant, caller],
      [caller, participant],
    ] as const) {
      to.pause()
      const taken = pours((from as unknown as { readonly _socket: Socket })._socket, frameOf(from === caller))
      const before = await stands(doors as unknown as RelayDoors, taken)
      expect(before).toBeLessThan(32_000_000)
      to.resume()
      await eventually(() => taken() > before + 10_000_000)
    }
    caller.terminate()
  })

  test('is closed when no byte has come for two minutes, and not before', async () => {
    await using doors = await openSockets()
    const { caller, participant } = await doors.open()
    const closed = once(caller, 'close')
    for (let each = 0; each < 3; each++) {
      doors.clock.advance(100_000)
      const pong = once(caller, 'pong')
      caller.ping()
      await pong
    }
    expect(caller.readyState).toBe(WebSocket.OPEN)
    const left = once(participant, 'close')
    doors.clock.advance(120_000)
    await Promise.all([closed, left])
  })

  test('ends when the daemon stops', async () => {
    await using doors = await openSockets()
    const { caller, participant } = await doors.open()
    const closed = [once(caller, 'close'), once(participant, 'close')]
    await doors.server.close(10_000)
    await Promise.all(closed)
  })
})

/** A frame of 64 KiB. A caller's frames must be masked, here with zeros. */
function frameOf(isMasked: boolean): Buffer {
  const bytes = Buffer.alloc(65_536, 'x')
  const head = isMasked ? [0x82, 0xff, ...length(14), 0, 0, 0, 0] : [0x82, 0x7f, ...length(10)]
  bytes.set(head)
  return bytes
}

function length(head: number): readonly number[] {
  return [0, 0, 0, 0, 0, 0, 0xff, 0x100 - head]
}

describe('over TLS,', () => {
  const certificate = selfSigned({ addresses: ['127.0.0.1'] })
  trust(afterAll, certificate.cert)

  test('a participant whose authority the machine trusts is relayed, WebSockets too', async () => {
    await using doors = await openSockets({ tls: certificate })
    doors.answers((_, response) => void response.end('well'))
    expect((await doors.asks('/v2/packages')).body.toString()).toBe('well')
    const { caller, participant } = await doors.open()
    const heard = once(participant, 'message')
    caller.send('{}')
    expect(textOf(await heard)).toBe('{}')
    caller.terminate()
  })

  test('a participant whose certificate nobody vouches for gets no token, whatever the environment says', async () => {
    const variable = 'NODE_TLS_REJECT_UNAUTHORIZED'
    const { [variable]: set } = process.env
    process.env[variable] = '0'
    try {
      await using doors = await openSockets({ tls: selfSigned({ addresses: ['127.0.0.1'] }) })
      let asked = 0
      doors.answers((_, response) => void response.end(String(++asked)))
      expect((await doors.asks('/v2/packages')).status).toBe(502)
      expect((await doors.refusal()).status).toBe(502)
      expect([asked, doors.asked.length]).toEqual([0, 0])
    } finally {
      if (set === undefined) delete process.env[variable]
      else process.env[variable] = set
    }
  })
})

describe('a handshake', () => {
  test('that the participant refuses has its answer', async () => {
    await using doors = await openRelay()
    doors.participant.on('upgrade', (_, socket) => {
      socket.end(
        'HTTP/1.1 403 No\r\ncontent-type: application/json\r\ncontent-length: 14\r\nx-a: b\r\n\r\n{"code":"NA"}\n',
      )
    })
    const { status, headers, body } = await refusalOf(doors)
    expect({ status, body }).toEqual({ status: 403, body: '{"code":"NA"}\n' })
    expect(headers).toMatchObject({ 'x-a': 'b', connection: 'close' })
    await eventually(() => doors.relay.readers === 0)
  })

  test.each([
    ['without a token', ['daml.ws.auth'], 401, 'NA'],
    ['with a token that is not valid', ['jwt.token.forged', 'daml.ws.auth'], 401, 'NA'],
  ])('%s is refused, and the participant is not asked', async (_, protocols, status, code) => {
    await using doors = await openSockets()
    const heard = await doors.refusal(path, protocols)
    expect([heard.status, JSON.parse(heard.body).code]).toEqual([status, code])
    expect(doors.asked).toEqual([])
  })

  test('is refused where nothing is relayed', async () => {
    await using doors = await openSockets({ relay: 'off' })
    expect((await doors.refusal()).status).toBe(404)
  })

  test('that the participant breaks off is a 502, and one without an answer a 504', async () => {
    await using doors = await openRelay()
    const asked: Socket[] = []
    doors.participant.on('upgrade', (_, socket) =>
      asked.push((socket as Socket).resume().on('end', () => socket.end())),
    )
    const broken = refusalOf(doors)
    await eventually(() => asked.length === 1)
    asked[0]?.resetAndDestroy()
    expect((await broken).status).toBe(502)
    const hung = refusalOf(doors)
    await eventually(() => asked.length === 2)
    doors.clock.advance(65_000)
    expect((await hung).status).toBe(504)
    await eventually(() => doors.sockets.size === 0)
  })

  test('beyond as many as one client may have open is refused', async () => {
    await using doors = await openSockets({ limits: { perClient: 1 } })
    const { caller } = await doors.open()
    expect((await doors.refusal()).status).toBe(409)
    caller.terminate()
    await eventually(() => doors.relay.readers === 0)
    await doors.open()
  })
})

async function refusalOf({ url }: RelayDoors) {
  const caller = new WebSocket(url.replace('http', 'ws') + path, ['jwt.token.good', 'daml.ws.auth'])
  const [, answer] = (await once(caller, 'unexpected-response')) as [unknown, IncomingMessage]
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: String(Buffer.concat(await answer.toArray())),
  }
}
