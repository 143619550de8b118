import { describe, expect, onTestFinished, test } from 'vitest'
import type { AddressLookup } from '../../src/core/scan/address-guard.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { RequestGroup, type ScanRequest } from '../../src/core/scan/node.ts'
import { createUndiciScanNode, type UndiciScanNodeOptions } from '../../src/core/scan/node.undici.ts'
import { selfSigned, trust } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { type Behaviour, HostileServer, response, saying } from '../support/hostile-server.ts'
import { ManualClock } from '../support/manual-clock.ts'

const never = new AbortController().signal
const request: ScanRequest = { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs: 5000 }

async function listen(behaviour: Behaviour, tls?: { cert: string; key: string }) {
  const server = await HostileServer.listen(behaviour, tls)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

function connect(options: Partial<UndiciScanNodeOptions> & { url: string }, lookup?: AddressLookup) {
  const clock = new ManualClock()
  const budget = new Budget({ slots: 8, bytes: 1_048_576 })
  const node = createUndiciScanNode(
    { budget, allowHttp: true, allowPrivate: true, ...options },
    { clock, ...(lookup === undefined ? {} : { lookup }) },
  )
  onTestFinished(() => node[Symbol.asyncDispose]())
  return { clock, budget, node, ask: (signal = never) => node.ask(request, new RequestGroup(signal, clock)) }
}

function resolving(...lines: readonly (readonly string[])[]) {
  let asked = 0
  const lookup: AddressLookup = (_hostname, _options, callback) => {
    const addresses = lines[Math.min(asked++, lines.length - 1)] ?? []
    setImmediate(() =>
      callback(
        null,
        addresses.map((address) => ({ address, family: 4 })),
      ),
    )
  }
  return { lookup, asked: () => asked }
}

describe('where a scan node connects', () => {
  test('a private address in the URL is blocked without a connection', async () => {
    const server = await listen(saying(response('{}')))
    const { ask, node } = connect({ url: `${server.url}/`, allowPrivate: false })
    expect(await ask()).toEqual({
      kind: 'fault',
      fault: 'blocked',
      detail: '127.0.0.1 is not public, and scanClient.allowPrivate is false',
    })
    node.warm()
    expect(server.accepted).toBe(0)
    await expect(ask(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
  })

  test('plain http is blocked where it is not allowed', async () => {
    const { ask } = connect({ url: 'http://scan.example.org', allowHttp: false })
    expect(await ask()).toMatchObject({
      fault: 'blocked',
      detail: 'http is not allowed, because scanClient.allowHttp is false',
    })
  })

  test('a text that is no URL is blocked, and stays as it was published', async () => {
    const { ask, node } = connect({ url: 'not a url' })
    expect(await ask()).toMatchObject({ fault: 'blocked', detail: 'not a URL' })
    expect(node.url).toBe('not a url')
  })

  test('a name that becomes private is blocked at the next connection', async () => {
    const server = await listen(saying(response('{}')))
    const { lookup, asked } = resolving([], ['127.0.0.1'])
    const { ask } = connect({ url: `http://scan.example.org:${server.port}`, allowPrivate: false }, lookup)
    expect(await ask()).toMatchObject({ fault: 'blocked', detail: 'scan.example.org is at no address' })
    expect(await ask()).toMatchObject({
      fault: 'blocked',
      detail: 'scan.example.org is at 127.0.0.1, which is not public, and scanClient.allowPrivate is false',
    })
    expect(asked()).toBe(2)
    expect(server.accepted).toBe(0)
  })

  test('a name is resolved once for connections that are made at the same time', async () => {
    const server = await listen(saying(response('{}')))
    const { lookup, asked } = resolving(['127.0.0.1'])
    const { ask } = connect({ url: `http://scan.example.org:${server.port}` }, lookup)
    expect(await Promise.all([ask(), ask(), ask()])).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ])
    expect([asked(), server.accepted]).toEqual([1, 3])
    expect(server.requests[0]?.head).toMatch(new RegExp(`^host: scan\\.example\\.org:${server.port}$`, 'm'))
  })

  test('a name that does not resolve is unreachable', async () => {
    const missing = Object.assign(new Error('getaddrinfo ENOTFOUND scan.example.org'), { code: 'ENOTFOUND' })
    const { ask } = connect({ url: 'http://scan.example.org' }, (_hostname, _options, callback) =>
      callback(missing, []),
    )
    expect(await ask()).toMatchObject({
      fault: 'unreachable',
      detail: 'getaddrinfo ENOTFOUND scan.example.org',
    })
  })

  test('a second address is tried where the first refuses', async () => {
    const server = await listen(saying(response('{}')))
    const { lookup } = resolving(['127.0.0.2', '127.0.0.1'])
    const { ask } = connect({ url: `http://scan.example.org:${server.port}` }, lookup)
    expect(await ask()).toMatchObject({ status: 200 })
  })

  test('the detail says what happened also where every address refuses', async () => {
    const server = await listen(saying(response('{}')))
    const { port } = server
    await server[Symbol.asyncDispose]()
    const { lookup } = resolving(['127.0.0.2', '127.0.0.1'])
    const { ask } = connect({ url: `http://scan.example.org:${port}` }, lookup)
    expect(await ask()).toMatchObject({
      fault: 'unreachable',
      detail: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('how long a scan node connects', () => {
  const hanging: AddressLookup = () => {}

  test('a name server that is silent is a time-out of the connection', async () => {
    const { ask, clock } = connect({ url: 'http://scan.example.org', connectTimeoutMs: 1000 }, hanging)
    const asked = ask()
    clock.advance(1000)
    expect(await asked).toMatchObject({ fault: 'timeout', detail: 'no connection within 1000 ms' })
    expect(clock.waiting).toBe(0)
  })

  test('a TLS handshake that is silent is a time-out, and its socket is closed', async () => {
    const server = await listen(() => {})
    const { ask, clock } = connect({ url: server.url.replace('http', 'https'), connectTimeoutMs: 1000 })
    const asked = ask()
    await server.until(() => server.open === 1)
    clock.advance(1000)
    expect(await asked).toMatchObject({ fault: 'timeout' })
    await server.until(() => server.open === 0)
    expect(clock.waiting).toBe(0)
  })

  test('an ask whose time-out is shorter ends by its own, and its slot with the connection', async () => {
    const { ask, clock, budget } = connect(
      { url: 'http://scan.example.org', connectTimeoutMs: 9000 },
      hanging,
    )
    const asked = ask()
    clock.advance(5000)
    expect(await asked).toMatchObject({ fault: 'timeout', detail: 'not connected within 5000 ms' })
    expect(budget).toMatchObject({ inFlight: 1, reservedBytes: 0 })
    clock.advance(4000)
    await eventually(() => budget.inFlight === 0)
    expect(clock.waiting).toBe(0)
  })

  test('disposing does not wait for a connection that nobody wants any more', async () => {
    const { ask, clock, node } = connect({ url: 'http://scan.example.org', connectTimeoutMs: 9000 }, hanging)
    const controller = new AbortController()
    const asked = ask(controller.signal)
    controller.abort(new Error('gone'))
    await expect(asked).rejects.toThrow('gone')
    await node[Symbol.asyncDispose]()
    await eventually(() => clock.waiting === 0)
  })
})

describe('TLS', () => {
  const trusted = selfSigned({ addresses: ['127.0.0.1'], names: ['scan.example.org'] })

  test('a certificate that is trusted for the name is enough', async () => {
    trust(onTestFinished, trusted.cert)
    const server = await listen(saying(response('{"a":1}')), trusted)
    const { lookup } = resolving(['127.0.0.1'])
    const { ask } = connect({ url: `https://scan.example.org:${server.port}` }, lookup)
    expect(await ask()).toMatchObject({ status: 200, body: Buffer.from('{"a":1}') })
    expect(await Promise.all([ask(), ask(), ask()])).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200 },
    ])
  })

  test('a certificate for an address is enough', async () => {
    trust(onTestFinished, trusted.cert)
    const server = await listen(saying(response('{}')), trusted)
    expect(await connect({ url: server.url }).ask()).toMatchObject({ status: 200 })
  })

  test('a certificate that nobody trusts is unreachable, whatever the environment says', async () => {
    const server = await listen(saying(response('{}')), trusted)
    const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    const answer = await connect({ url: server.url }).ask()
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before
    expect(answer).toMatchObject({ fault: 'unreachable', detail: expect.stringContaining('self-signed') })
    expect(server.requests).toHaveLength(0)
  })

  test('a certificate for another name is unreachable', async () => {
    trust(onTestFinished, trusted.cert)
    const server = await listen(saying(response('{}')), trusted)
    const { lookup } = resolving(['127.0.0.1'])
    const { ask } = connect({ url: `https://scan.example.com:${server.port}` }, lookup)
    expect(await ask()).toMatchObject({
      fault: 'unreachable',
      detail: expect.stringContaining('scan.example.com'),
    })
    expect(await ask()).toMatchObject({ fault: 'unreachable' })
  })

  test('a peer that does not speak it is unreachable', async () => {
    const server = await listen(() => {})
    const { ask } = connect({ url: server.url.replace('http', 'https') })
    const asked = ask()
    await server.until(() => server.open === 1)
    server.hangUp()
    expect(await asked).toMatchObject({ fault: 'unreachable' })
  })
})

describe('connections of a scan node', () => {
  test('those beyond a smaller share are closed as asks end', async () => {
    let replies: (() => void)[] = []
    const server = await listen((socket) => replies.push(() => socket.write(response('{}'))))
    const { ask, budget } = connect({ url: server.url })
    const asks = [ask(), ask(), ask(), ask()]
    await server.until(() => server.requests.length === 4)
    budget.resize({ slots: 2, bytes: 1_048_576 })
    for (const reply of replies) reply()
    replies = []
    await Promise.all(asks)
    await server.until(() => server.open === 2)
    server.behave(saying(response('{}')))
    expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(server.accepted).toBe(4)
  })

  test('name the program', async () => {
    const server = await listen(saying(response('{}')))
    await connect({ url: server.url }).ask()
    expect(server.requests[0]?.head).toMatch(/^user-agent: bft-scan-proxy$/m)
  })

  test('an ask with a path that HTTP cannot carry ends as a fault', async () => {
    const server = await listen(saying(response('{}')))
    const { node, budget, clock } = connect({ url: server.url })
    const answer = await node.ask({ ...request, path: '/a b\r\nx: y' }, new RequestGroup(never, clock))
    expect(answer).toMatchObject({ kind: 'fault', detail: 'invalid request path' })
    expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    expect(server.requests).toHaveLength(0)
  })
})
