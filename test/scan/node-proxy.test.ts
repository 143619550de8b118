import type { Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { AddressLookup } from '../../src/core/scan/address-guard.ts'
import { forwardProxyTo, type ProxyOptions } from '../../src/core/scan/forward-proxy.ts'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { RequestGroup, type ScanRequest } from '../../src/core/scan/node.ts'
import { createUndiciScanNode } from '../../src/core/scan/node.undici.ts'
import { resultOf } from '../../src/core/scan/seed-outcome.ts'
import { selfSigned, trust } from '../support/certificate.ts'
import { ConnectProxy } from '../support/connect-proxy.ts'
import { HostileServer, response, saying } from '../support/hostile-server.ts'
import { ManualClock } from '../support/manual-clock.ts'

const never = new AbortController().signal
const request: ScanRequest = { method: 'GET', path: '/api/scan/version', maxBytes: 65_536, timeoutMs: 5000 }
const trusted = selfSigned({ names: ['scan.example.org'], addresses: ['127.0.0.1'] })

async function listen(tls?: { cert: string; key: string }) {
  const server = await HostileServer.listen(saying(response('{"a":1}')), tls)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

async function proxied(tls?: { cert: string; key: string }, answer?: (socket: Socket) => boolean) {
  const proxy = await ConnectProxy.listen(tls, answer)
  onTestFinished(() => proxy[Symbol.asyncDispose]())
  return proxy
}

function connect(url: string, proxy: ProxyOptions, allowPrivate = true) {
  const clock = new ManualClock()
  const budget = new Budget({ slots: 8, bytes: 1_048_576 })
  const resolved: string[] = []
  const lookup: AddressLookup = (hostname, _options, callback) => {
    resolved.push(hostname)
    callback(null, [{ address: '127.0.0.1', family: 4 }])
  }
  const options = { url, budget, proxy, allowHttp: true, allowPrivate, connectTimeoutMs: 1_000 }
  const node = createUndiciScanNode(options, { clock, lookup })
  onTestFinished(() => node[Symbol.asyncDispose]())
  return { clock, budget, resolved, ask: () => node.ask(request, new RequestGroup(never, clock)) }
}

describe('a scan behind a forward proxy', () => {
  test('is asked through it, with its credentials, and keeps its connection', async () => {
    trust(onTestFinished, trusted.cert)
    const [server, proxy] = [await listen(trusted), await proxied()]
    const authority = `scan.example.org:${server.port}`
    const { ask, resolved } = connect(
      `https://${authority}`,
      { httpsProxy: proxy.url('us%40er:p%3Ass@') },
      false,
    )
    expect(await ask()).toMatchObject({ status: 200, body: Buffer.from('{"a":1}') })
    expect(await ask()).toMatchObject({ status: 200 })
    const authorization = `Basic ${Buffer.from('us@er:p:ss').toString('base64')}`
    expect(proxy.asked).toEqual([{ authority, authorization }])
    expect(server.requests[0]?.head).not.toMatch(/^proxy-/im)
    expect(resolved, 'names are for the proxy to resolve').toEqual([])
  })

  test.each([
    ['an https scan', 'https'],
    ['an http scan', 'http'],
  ] as const)('%s is reached through a proxy that speaks TLS itself', async (_what, scheme) => {
    trust(onTestFinished, trusted.cert)
    const [server, proxy] = [await listen(scheme === 'https' ? trusted : undefined), await proxied(trusted)]
    const { ask } = connect(`${scheme}://scan.example.org:${server.port}`, {
      [`${scheme}Proxy`]: proxy.url(),
    })
    expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 200 }, { status: 200 }])
    expect(proxy.asked).toEqual(
      [1, 2].map(() => ({ authority: `scan.example.org:${server.port}`, authorization: undefined })),
    )
  })

  test('is verified by its own certificate, whatever stands between', async () => {
    trust(onTestFinished, trusted.cert)
    const [server, proxy] = [await listen(trusted), await proxied()]
    const { ask, budget, clock } = connect(`https://scan.example.com:${server.port}`, {
      httpsProxy: proxy.url(),
    })
    expect(await ask()).toMatchObject({
      fault: 'unreachable',
      detail: expect.stringContaining('scan.example.com'),
    })
    expect(server.requests).toHaveLength(0)
    expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    expect(clock.waiting).toBe(0)
  })

  test('with a private address in its URL is blocked all the same', async () => {
    const proxy = await proxied()
    const { ask } = connect('https://10.0.0.7', { httpsProxy: proxy.url() }, false)
    expect(await ask()).toMatchObject({
      fault: 'blocked',
      detail: '10.0.0.7 is not public, and scanClient.allowPrivate is false',
    })
    expect(proxy.asked).toEqual([])
  })

  test.each<[string, (socket: Socket) => void, string]>([
    [
      'wants other credentials',
      (socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'),
      'the forward proxy answered 407: its URL must hold a user and a password',
    ],
    [
      'forbids it',
      (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
      'the forward proxy answered 403',
    ],
    [
      'speaks something else',
      (socket) => socket.end('SSH-2.0\r\n\r\n'),
      'the forward proxy does not speak HTTP',
    ],
    [
      'never ends its head',
      (socket) => socket.write('x'.repeat(20_000)),
      'the forward proxy does not speak HTTP',
    ],
    [
      'answers in the name of the scan',
      (socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n'),
      'the forward proxy sent more than it was asked for',
    ],
    ['hangs up', (socket) => socket.destroy(), 'closed while connecting'],
  ])('is unreachable where the proxy %s', async (_what, behave, detail) => {
    const proxy = await proxied(undefined, (socket) => {
      behave(socket)
      return false
    })
    const { ask, budget, clock } = connect('http://scan.example.org', {
      httpProxy: proxy.url('user:secret@'),
    })
    const answer = await ask()
    expect(answer).toMatchObject({
      fault: 'unreachable',
      code: 'ERR_FORWARD_PROXY',
      detail: expect.stringContaining(detail),
    })
    expect(JSON.stringify(answer)).not.toContain('secret')
    expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    expect(clock.waiting).toBe(0)
  })

  test.each(['http://127.0.0.1:9', 'http://nowhere.invalid:3128'])(
    'is unreachable where the proxy %s cannot be reached, which its error blames',
    async (httpsProxy) => {
      const budget = new Budget({ slots: 8, bytes: 1_048_576 })
      const lookup: AddressLookup = (hostname, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }), [])
      const options = {
        url: 'https://scan.example.org',
        budget,
        proxy: { httpsProxy },
        allowHttp: false,
        allowPrivate: false,
        connectTimeoutMs: 1_000,
      }
      const clock = new ManualClock()
      await using node = createUndiciScanNode(options, { clock, lookup })
      const answer = await node.ask(request, new RequestGroup(never, clock))
      expect(answer).toMatchObject({
        fault: 'unreachable',
        code: 'ERR_FORWARD_PROXY',
        detail: expect.stringMatching(/^no connection to the forward proxy: .*(ECONNREFUSED|ENOTFOUND)/),
      })
      if (answer.kind !== 'fault') throw new Error('the scan answered')
      const reply = { kind: 'fault', fault: answer.fault } as const
      expect(resultOf(reply, answer).outcome).toBe('proxy')
    },
  )

  test('is a time-out where the proxy is silent', async () => {
    const heard = Promise.withResolvers<void>()
    const proxy = await proxied(undefined, () => {
      heard.resolve()
      return false
    })
    const { ask, clock } = connect('https://scan.example.org', { httpsProxy: proxy.url() })
    const asked = ask()
    await heard.promise
    clock.advance(1_000)
    expect(await asked).toMatchObject({ fault: 'timeout', detail: 'no connection within 1000 ms' })
  })
})

describe('a connection without a proxy', () => {
  test('tells the name that it wants before the certificate is sent, so that hosts can share an address', async () => {
    trust(onTestFinished, trusted.cert)
    const server = await listen(trusted)
    const { ask } = connect(`https://scan.example.org:${server.port}`, {})
    expect(await ask()).toMatchObject({ status: 200 })
    expect(server.serverNames).toEqual(['scan.example.org'])
  })
})

describe('the proxy', () => {
  const httpsProxy = 'http://secure.example:3128'
  const httpProxy = 'https://plain.example'
  const through = (url: string, noProxy: readonly string[] = []) => {
    const { hostname, protocol, port } = new URL(url)
    const secure = protocol === 'https:'
    const place = {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (secure ? 443 : 80)),
      secure,
    }
    return forwardProxyTo(place, { httpsProxy, httpProxy, noProxy })
  }

  test("is that of the scan's scheme", () => {
    expect(through('https://a.example')).toMatchObject({ host: 'secure.example', port: 3128, secure: false })
    expect(through('http://a.example')).toMatchObject({ host: 'plain.example', port: 443, secure: true })
    expect(forwardProxyTo({ host: 'a.example', port: 443, secure: true }, { httpProxy })).toBeUndefined()
  })

  test.each(['http://127.0.0.1:80', 'https://localhost', 'http://[::1]:5012', 'http://127.3.2.1'])(
    'is never asked for loopback: %s',
    (url) => {
      expect(through(url)).toBeUndefined()
    },
  )

  test.each<[entry: string, url: string, isMeant: boolean]>([
    ['*', 'https://a.example', true],
    ['a.example', 'https://a.example', true],
    ['a.example', 'https://scan.a.example', true],
    ['.a.example', 'https://scan.a.example', true],
    ['*.a.example', 'https://scan.a.example', true],
    ['A.Example', 'https://a.example', true],
    ['a.example', 'https://ba.example', false],
    ['example', 'https://a.example', true],
    ['.', 'https://a.example', false],
    ['a.example:443', 'https://a.example', true],
    ['a.example:8443', 'https://a.example', false],
    ['203.0.113.9', 'https://203.0.113.9', true],
    ['203.0.113.0/24', 'https://203.0.113.9', true],
    ['203.0.114.0/24', 'https://203.0.113.9', false],
    ['203.0.113.0/99', 'https://203.0.113.9', false],
    ['203.0.113.9', 'https://203.0.113.90', false],
    ['[2001:db8::9]', 'https://[2001:db8::9]', true],
    ['[2001:db8::9]:8443', 'https://[2001:db8::9]:8443', true],
    ['2001:db8::/32', 'https://[2001:db8::9]', true],
  ])('is left out where NO_PROXY says %s for %s: %s', (entry, url, isMeant) => {
    expect(through(url, ['other.example', entry]) === undefined).toBe(isMeant)
  })
})
