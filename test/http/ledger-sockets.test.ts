import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { updatesRequest } from '../../src/registry/ledger/api/requests.ts'
import { ask } from '../localnet/ask.ts'
import { eventually } from '../support/eventually.ts'
import { speak } from '../support/speak.ts'
import { anyone, eventsOf, type LedgerDoors, openLedgerDoors, updatesOf } from './ledger-doors.ts'

let doors: LedgerDoors

beforeAll(async () => {
  doors = await openLedgerDoors()
  const who = await doors.net.user('alice')
  await doors.net.register(who, 'alice')
})
afterAll(() => doors[Symbol.asyncDispose]())

const everything = updatesOf(eventsOf())

interface Opened {
  readonly ws: WebSocket
  // biome-ignore lint/suspicious/noExplicitAny: a frame may be any JSON
  readonly frames: any[]
  readonly closed: Promise<number>
}

async function open(
  path: string,
  {
    as = anyone,
    token,
    protocols,
    headers = {},
  }: { as?: string; token?: string; protocols?: readonly string[]; headers?: Record<string, string> } = {},
): Promise<Opened> {
  const jwt = token ?? (await doors.tokenOf(as))
  const offered = protocols ?? [`jwt.token.${jwt}`, 'daml.ws.auth']
  const ws = new WebSocket(`${doors.url.replace('http', 'ws')}${path}`, [...offered], { headers })
  const frames: unknown[] = []
  ws.on('message', (data) => frames.push(JSON.parse(String(data))))
  const closed = new Promise<number>((resolve) => ws.on('close', (code) => resolve(code)))
  await once(ws, 'open')
  return { ws, frames, closed }
}

// biome-ignore lint/suspicious/noExplicitAny: an update may be any variant
function offsetOf({ update }: { update: Record<string, any> }): number {
  return Object.values(update)[0].value.offset
}

function isUpdate({ update }: { update: object }): boolean {
  return !('OffsetCheckpoint' in update)
}

async function offsets(): Promise<readonly number[]> {
  const page = await doors.gets('POST /v2/updates/get-updates-page', {
    maxPageSize: 2000,
    updateFormat: everything,
  })
  return page.updates.map(offsetOf)
}

describe('GET /v2/updates', () => {
  test('a range comes a frame an update, then the stream is closed normally', async () => {
    const end = await doors.net.ledger.end()
    const { ws, frames, closed } = await open('/v2/updates')
    expect(ws.protocol).toBe('daml.ws.auth')
    ws.send(JSON.stringify({ beginExclusive: 0, endInclusive: end, updateFormat: everything }))
    expect(await closed).toBe(1000)
    expect(frames.map(offsetOf)).toEqual(await offsets())
  })

  test('without an end it goes on with what is committed, and later frames of the client are ignored', async () => {
    const before = await doors.net.ledger.end()
    const { ws, frames } = await open('/v2/updates')
    ws.send(JSON.stringify({ beginExclusive: before, updateFormat: everything }))
    ws.send('ignored')
    await eventually(() => doors.updates.readers === 1)
    const bob = await doors.net.user('bob')
    await doors.net.wallet.tap(bob, '5.0')
    await eventually(() => frames.some(isUpdate))
    expect(frames.filter(isUpdate).map(offsetOf)).toEqual([await doors.net.ledger.end()])
    ws.terminate()
    await eventually(() => doors.updates.readers === 0)
  })

  test('streams that begin anywhere while updates are committed have each update once, in order', async () => {
    const before = await doors.net.ledger.end()
    const streams = await Promise.all(
      [0, 1, before - 1, before].map(async (beginExclusive) => {
        const { ws, frames } = await open('/v2/updates')
        ws.send(JSON.stringify({ beginExclusive, updateFormat: everything }))
        return { beginExclusive, ws, frames }
      }),
    )
    const carol = await doors.net.user('carol')
    await Promise.all(Array.from({ length: 30 }, () => doors.net.wallet.tap(carol, '1.0')))
    const all = await offsets()
    for (const { beginExclusive, ws, frames } of streams) {
      const seen = () => frames.filter(isUpdate).map(offsetOf)
      await eventually(() => seen().at(-1) === all.at(-1))
      expect(seen()).toEqual(all.filter((offset) => offset > beginExclusive))
      ws.terminate()
    }
    await eventually(() => doors.updates.readers === 0)
  })

  test('the Authorization header goes before the offered token', async () => {
    const headers = { authorization: `Bearer ${await doors.tokenOf('alice')}` }
    const { ws, frames, closed } = await open('/v2/updates', { headers })
    ws.send(JSON.stringify({ beginExclusive: 0, endInclusive: 1, updateFormat: everything }))
    await closed
    expect(frames).toMatchObject([{ grpcCodeValue: 7 }])
  })

  test('an error is one frame in the place of an update, and then the stream is closed normally', async () => {
    const end = await doors.net.ledger.end()
    const { ws, frames, closed } = await open('/v2/updates')
    ws.send(JSON.stringify({ beginExclusive: end + 1, updateFormat: everything }))
    expect(await closed).toBe(1000)
    expect(frames).toMatchObject([
      { code: 'OFFSET_AFTER_LEDGER_END', errorCategory: 12, traceId: expect.any(String) },
    ])
  })

  test('LEDGER_API_INTERNAL_ERROR: a first frame that is no request', async () => {
    const { ws, frames, closed } = await open('/v2/updates')
    ws.send('nonsense')
    expect(await closed).toBe(1000)
    expect(frames).toMatchObject([{ code: 'LEDGER_API_INTERNAL_ERROR', errorCategory: 4, grpcCodeValue: 13 }])
  })

  test.each(['/v2/updates', '/v2/state/active-contracts'])(
    '401 without a valid token is an answer over HTTP: nobody without one has a WebSocket to %s',
    async (path) => {
      const valid = await doors.tokenOf(anyone)
      const expired = await doors.tokenOf(anyone, {}, -1000)
      for (const token of ['', `${valid}x`, expired, 'a'.repeat(100_000)]) {
        const protocols = [...(token === '' ? [] : [`jwt.token.${token}`]), 'daml.ws.auth']
        await expect(open(path, { protocols })).rejects.toThrow('401')
      }
    },
  )

  test('403 for an unknown user is an answer over HTTP', async () => {
    const opening = open('/v2/updates', { as: 'nobody' })
    await expect(opening).rejects.toThrow('403')
  })

  test('ACCESS_TOKEN_EXPIRED: a stream ends with its token', async () => {
    const token = await doors.tokenOf(anyone, {}, 2_000)
    const { ws, frames, closed } = await open('/v2/updates', { token })
    ws.send(JSON.stringify({ beginExclusive: await doors.net.ledger.end(), updateFormat: everything }))
    await eventually(() => doors.updates.readers === 1)
    doors.net.clock.advance(3_000)
    await doors.net.wallet.tap(await doors.net.user('alice'), '1.0')
    expect(await closed).toBe(1000)
    expect(frames.at(-1)).toMatchObject({ code: 'ACCESS_TOKEN_EXPIRED', errorCategory: 2 })
  })

  test('checkpoints come after the past updates or shortly after the start, and then each minute with updates', async () => {
    const { clock, ledger, wallet } = doors.net
    const end = await ledger.end()
    const stop = new AbortController()
    const follow = async (beginExclusive: number) => {
      const reads = await doors.updates.open(await doors.tokenOf(anyone))
      const request = updatesRequest(JSON.stringify({ beginExclusive, updateFormat: everything }), 'none')
      const elements = (await reads.updates(request, stop.signal))[Symbol.asyncIterator]()
      return async () =>
        ((await elements.next()).value ?? []).map(({ text }: { text: string }) => JSON.parse(text))
    }
    const checkpoint = (offset: number) => {
      const { synchronizerId } = ledger
      const synchronizerTimes = [{ synchronizerId, recordTime: expect.stringMatching(/Z$/) }]
      return [{ update: { OffsetCheckpoint: { value: { offset, synchronizerTimes } } } }]
    }
    const past = await follow(end - 1)
    expect((await past()).map(offsetOf)).toEqual([end])
    expect(await past()).toEqual(checkpoint(end))

    const next = await follow(end)
    const waiting = clock.waiting
    const first = next()
    await eventually(() => clock.waiting > waiting)
    clock.advance(500)
    expect(await first).toEqual(checkpoint(end))
    const second = next()
    await eventually(() => clock.waiting > waiting)
    clock.advance(60_000)
    await wallet.tap(await doors.net.user('alice'), '1.0')
    expect((await second).map(offsetOf)).toEqual([end + 1])
    const third = next()
    await eventually(() => clock.waiting > waiting)
    clock.advance(60_000)
    expect(await third).toEqual(checkpoint(end + 1))
    stop.abort()
    expect(await Promise.all([past(), next()])).toEqual([[], []])
    expect(doors.updates.readers).toBe(0)
  })

  test('PARTICIPANT_BACKPRESSURE: more streams than are kept at once', async () => {
    await using few = await openLedgerDoors({ mostStreams: 1 })
    const url = `${few.url.replace('http', 'ws')}/v2/updates`
    const begin = JSON.stringify({ beginExclusive: 0, updateFormat: everything })
    const protocols = [`jwt.token.${await few.tokenOf(anyone)}`, 'daml.ws.auth']
    const first = new WebSocket(url, protocols)
    first.on('open', () => first.send(begin))
    await eventually(() => few.updates.readers === 1)
    const second = new WebSocket(url, protocols)
    second.on('open', () => second.send(begin))
    const [data] = await once(second, 'message')
    expect(JSON.parse(String(data))).toMatchObject({ code: 'PARTICIPANT_BACKPRESSURE', errorCategory: 2 })
    first.terminate()
  })
})

test('GET /v2/state/active-contracts streams them, and is closed', async () => {
  const activeAtOffset = await doors.net.ledger.end()
  const { ws, frames, closed } = await open('/v2/state/active-contracts')
  ws.send(JSON.stringify({ activeAtOffset, eventFormat: eventsOf() }))
  expect(await closed).toBe(1000)
  expect(frames).toEqual(
    await doors.gets('POST /v2/state/active-contracts', { activeAtOffset, eventFormat: eventsOf() }),
  )
})

test('other upgrades than to a WebSocket of a stream are requests like any', async () => {
  const headers = { connection: 'upgrade', upgrade: 'h2c' }
  expect(await ask(doors.url, '/v2/version', { headers })).toMatchObject({ status: 200 })
  expect(await ask(doors.url, '/v2/updates', { headers })).toMatchObject({ status: 404 })
  const elsewhere = {
    ...headers,
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'a',
  }
  expect(await ask(doors.url, '/v2/nothing', { headers: elsewhere })).toMatchObject({ status: 404 })
})

test('a malformed handshake is refused as every request, in plain text that says what versions there are', async () => {
  const offered = `sec-websocket-version: 7\r\nsec-websocket-protocol: jwt.token.${await doors.tokenOf(anyone)}`
  const more = `upgrade: websocket\r\n${offered}\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n`
  const heard = await speak(
    doors.url,
    `GET /v2/updates HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\n${more}\r\n`,
  )
  const [top = '', text] = heard.toLowerCase().split('\r\n\r\n')
  expect(top).toMatch(/^http\/1\.1 400 /)
  for (const line of [
    'content-type: text/plain; charset=utf-8',
    'cache-control: no-store',
    'connection: close',
  ])
    expect(top.split('\r\n')).toContain(line)
  expect(top).toContain('\r\nsec-websocket-version: 13, 8')
  expect(text).toBe('missing or invalid sec-websocket-version header')
})

test('a caller that disconnects during its handshake uses up no place', async () => {
  const { port } = new URL(doors.url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('GET /v2/updates HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n')
  socket.end('sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  await once(socket.resume(), 'close')
  expect(await doors.gets('GET /v2/state/ledger-end')).toMatchObject({ offset: expect.any(Number) })
})

test('empty segments and a slash at the end of a path are skipped, by HTTP and by WebSocket', async () => {
  for (const path of ['//v2/updates', '/v2//updates/', '///v2/updates//']) {
    const { ws, frames, closed } = await open(path)
    const [first = 0] = await offsets()
    ws.send(JSON.stringify({ beginExclusive: 0, endInclusive: first, updateFormat: everything }))
    await closed
    expect(frames.map(offsetOf)).toEqual([first])
  }
  const end = await doors.gets('GET /v2/state/ledger-end')
  for (const path of [
    '//v2/state/ledger-end',
    '/v2/state//ledger-end',
    '/v2/state/ledger-end/',
    '/v2/state/ledger-end/?a=b//',
  ])
    expect(await doors.gets(`GET ${path}`)).toEqual(end)
  expect((await doors.asks('GET /v2/users/a%2F%2Fb/', undefined, { as: anyone })).json).toMatchObject({
    resources: [['USER', 'a//b']],
  })
})

test('a stream that Canton 3.6 refuses opens, and its first frame says what to use instead', async () => {
  for (const path of ['/v2/updates/flats', '/v2/updates/trees']) {
    const { ws, frames, closed } = await open(path)
    ws.send('{}')
    expect(await closed).toBe(1000)
    expect(frames).toMatchObject([{ code: 'DEPRECATED_API_DISABLED', grpcCodeValue: 9 }])
  }
})

test('completions come as frames, and go on with what is carried out', async () => {
  const who = await doors.net.user('alice')
  const { ws, frames, closed } = await open('/v2/commands/completions', { as: 'alice' })
  const told = () => frames.flatMap(({ completionResponse }) => completionResponse.Completion?.value ?? [])
  ws.send(JSON.stringify({ parties: [who.party], beginExclusive: 0 }))
  await eventually(() => told().length > 0)
  const before = told().length
  await doors.net.register(who, 'again')
  await eventually(() => told().length > before)
  ws.close()
  await closed
  expect(new Set(told().map(({ userId }) => userId))).toEqual(new Set(['alice']))
  const places = told().map(({ offset }) => offset)
  expect(places).toEqual([...new Set(places)].sort((a, b) => a - b))
  await eventually(() => doors.updates.readers === 0)
})
