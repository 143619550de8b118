import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../src/base/lib/clock.ts'
import { type AddressLookup, type ScanTarget, scanTarget } from '../../src/core/scan/address-guard.ts'
import { inspectConnection } from '../../src/doctor/inspect-connection.ts'
import { selfSigned, trust } from '../support/certificate.ts'
import { ConnectProxy } from '../support/connect-proxy.ts'
import { freePort } from '../support/free-port.ts'
import { HostileServer, response, saying } from '../support/hostile-server.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { examineScans, SilentPort, toLoopback, wordsOf } from './stage.ts'

const host = 'scan.example.org'
const nobody = { dso: '-', synchronizer: '-', head: '-', snapshot: '-', history: '-' }

async function examine(url: string, options: { lookup?: AddressLookup; scanClient?: object } = {}) {
  const { lookup = toLoopback, scanClient = {} } = options
  const report = await examineScans({ seedUrls: [url], discover: false, ...scanClient }, { lookup })
  return { report, one: report.superValidators[0] as (typeof report.superValidators)[number] }
}

async function tlsScan(certificate: { cert: string; key: string }): Promise<HostileServer> {
  const server = await HostileServer.listen(saying(response('{"version":"0.7.5"}')), certificate)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

describe('DNS:', () => {
  test('a name that does not resolve is reported', async () => {
    const { one, report } = await examine(`https://${host}`, {
      lookup: (_, __, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []),
    })
    expect(wordsOf(one)).toMatchObject({ dns: 'no name', tcp: '-', tls: '-', version: '-', ...nobody })
    expect(one.steps.dns.detail).toBe(`The name ${host} does not resolve: getaddrinfo ENOTFOUND ${host}.`)
    expect(report.letters).toEqual([])
  })

  test('a name server that does not answer is a time-out of this machine, not of the scan', async () => {
    const target = scanTarget(`https://${host}`, { allowHttp: false, allowPrivate: false })
    const limits = { dnsMs: 50, tcpMs: 60_000, tlsMs: 60_000 }
    const seen = await inspectConnection(
      target as Extract<ScanTarget, { kind: 'usable' }>,
      { proxy: {}, allowPrivate: false, limits },
      { clock: systemClock, lookup: () => {} },
    )
    expect(seen).toMatchObject({
      dns: { kind: 'failed', problem: 'timeout' },
      tcp: { kind: 'skipped' },
      tls: { kind: 'skipped' },
    })
  })

  test('a name that leads inside is never connected to', async () => {
    const { one } = await examine(`https://${host}`, {
      lookup: (_, __, callback) => queueMicrotask(() => callback(null, [{ address: '10.0.0.7', family: 4 }])),
      scanClient: { allowPrivate: false },
    })
    expect(wordsOf(one)).toMatchObject({ dns: 'blocked', tcp: '-' })
    expect(one.steps.dns.detail).toBe(
      `The daemon never connects there: ${host} is at 10.0.0.7, which is not public, and scanClient.allowPrivate is false.`,
    )
  })

  test('a URL that the daemon never asks is reported with the reason', async () => {
    const { one } = await examine('https://10.0.0.7', { scanClient: { allowPrivate: false } })
    expect(one.steps.dns).toEqual({
      outcome: 'failed',
      word: 'blocked',
      detail:
        'The daemon never asks https://10.0.0.7: 10.0.0.7 is not public, and scanClient.allowPrivate is false.',
    })
  })
})

describe('TCP:', () => {
  test('a port that drops connections silently most likely has an allow-list, and gets a text to send', async () => {
    await using silent = await SilentPort.open()
    const url = `http://127.0.0.1:${silent.port}`
    const { one, report } = await examine(url, { scanClient: { egressAddresses: ['203.0.113.7'] } })
    expect(wordsOf(one)).toMatchObject({ tcp: 'dropped', tls: '-', version: '-', ...nobody })
    expect(one.steps.tcp.detail).toBe(
      `127.0.0.1:${silent.port} drops connections silently: no answer within 3000 ms. Most likely this machine's address is not on its allow-list.`,
    )
    expect(report.letters).toHaveLength(1)
    const [letter] = report.letters
    expect(letter).toMatchObject({ url, subject: expect.stringContaining('203.0.113.7') })
    expect(letter?.text).toContain(
      `from our address 203.0.113.7 to 127.0.0.1:${silent.port} connections are dropped silently`,
    )
    expect(letter?.text).toContain(`Please allow TCP port ${silent.port} on 127.0.0.1 for 203.0.113.7`)
  })

  test('a closed port refuses', async () => {
    const { one, report } = await examine(`http://127.0.0.1:${await freePort()}`)
    expect(wordsOf(one)).toMatchObject({ dns: '-', tcp: 'refused', tls: '-', version: '-', ...nobody })
    expect(report.verdict.kind).toBe('not-enough')
  })
})

test('if a name has several addresses, each attempt is reported', async () => {
  const port = await freePort()
  const target = scanTarget(`http://${host}:${port}`, { allowHttp: true, allowPrivate: true })
  const addresses = ['127.0.0.1', '127.0.0.2']
  const seen = await inspectConnection(
    target as Extract<ScanTarget, { kind: 'usable' }>,
    { proxy: {}, allowPrivate: true, limits: { dnsMs: 60_000, tcpMs: 60_000, tlsMs: 60_000 } },
    {
      clock: systemClock,
      lookup: (_, __, callback) =>
        queueMicrotask(() =>
          callback(
            null,
            addresses.map((address) => ({ address, family: 4 })),
          ),
        ),
    },
  )
  expect(seen).toMatchObject({ addresses, dns: { kind: 'passed' }, tcp: { problem: 'refused' } })
  expect(seen.tcp).toHaveProperty(
    'detail',
    addresses.map((address) => `connect ECONNREFUSED ${address}:${port}`).join(', '),
  )
})

describe('TLS:', () => {
  test('a good certificate passes, and its name, issuer and end are in the report', async () => {
    const certificate = selfSigned({ names: [host] })
    trust(onTestFinished, certificate.cert)
    const scan = await tlsScan(certificate)
    const { one } = await examine(`https://${host}:${scan.port}`)
    expect(wordsOf(one)).toMatchObject({ dns: 'ok', tcp: 'ok', tls: 'ok', version: '0.7.5' })
    expect(one.addresses).toEqual(['127.0.0.1'])
    expect(one.certificate).toEqual({ names: host, issuer: 'a test', ends: '2049-12-31T23:59:59.000Z' })
    expect(scan.serverNames.every((name) => name === host)).toBe(true)
  })

  test('a self-signed certificate is reported with its issuer', async () => {
    const scan = await tlsScan(selfSigned({ names: [host] }))
    const { one } = await examine(`https://${host}:${scan.port}`)
    expect(wordsOf(one)).toMatchObject({ dns: 'ok', tcp: 'ok', tls: 'issuer', version: '-', ...nobody })
    expect(one.steps.tls.detail).toBe(
      'This machine does not trust the issuer of its certificate: self-signed certificate. If a proxy of your own replaces certificates, name its authority in NODE_EXTRA_CA_CERTS. Its certificate is for scan.example.org, by a test, until 2049-12-31T23:59:59Z.',
    )
    expect(scan.requests).toEqual([])
  })

  test('a certificate for another name is reported with that name', async () => {
    const certificate = selfSigned({ names: ['other.example.org'] })
    trust(onTestFinished, certificate.cert)
    const scan = await tlsScan(certificate)
    const { one } = await examine(`https://${host}:${scan.port}`)
    expect(wordsOf(one)).toMatchObject({ tls: 'name', version: '-' })
    expect(one.steps.tls.detail).toContain(
      'Its certificate is not for scan.example.org. Its certificate is for other.example.org, by a test',
    )
  })

  test.each([
    ['expired', { from: '200101000000Z', until: '210101000000Z' }],
    ['early', { from: '480101000000Z', until: '490101000000Z' }],
  ])('a certificate that is not valid now is reported: %s', async (word, times) => {
    const certificate = selfSigned({ names: [host] }, times)
    trust(onTestFinished, certificate.cert)
    const scan = await tlsScan(certificate)
    const { one } = await examine(`https://${host}:${scan.port}`)
    expect(wordsOf(one)).toMatchObject({ tcp: 'ok', tls: word, version: '-' })
  })

  test('a server without TLS, one that closes and one that stays silent have different findings', async () => {
    const port = async (greet: Parameters<typeof createServer>[1]) => {
      const server = await onLoopback(createServer(greet))
      onTestFinished(() => server[Symbol.dispose]())
      return server.port
    }
    const plain = await port((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const closing = await port((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const silent = await port((socket) => socket.on('error', () => {}).resume())
    const word = async (at: number) => wordsOf((await examine(`https://127.0.0.1:${at}`)).one).tls
    expect(await Promise.all([plain, closing, silent].map(word))).toEqual(['no TLS', 'reset', 'timeout'])
  })
})

describe('Through a forward proxy:', () => {
  test('the proxy resolves and connects, and the report says so', async () => {
    const certificate = selfSigned({ names: [host] })
    trust(onTestFinished, certificate.cert)
    const scan = await tlsScan(certificate)
    await using proxy = await ConnectProxy.listen()
    const url = `https://${host}:${scan.port}`
    const { one, report } = await examine(url, {
      lookup: (name, _, callback) => callback(new Error(`${name} was resolved here`), []),
      scanClient: { httpsProxy: proxy.url('daemon:secret@') },
    })
    expect(wordsOf(one)).toMatchObject({ dns: 'ok', tcp: 'ok', tls: 'ok', version: '0.7.5' })
    const address = new URL(proxy.url()).host
    expect(one.steps.dns.detail).toBe(`The forward proxy ${address} finds ${host}.`)
    expect(one.steps.tcp.detail).toBe(`Connected through the forward proxy ${address}.`)
    expect(report.egress).toMatchObject({ proxies: [address], local: [] })
    expect(report.egress.says).toContain('ask whoever runs it for its public address')
    expect(proxy.asked.every(({ authority }) => authority === `${host}:${scan.port}`)).toBe(true)
    expect(JSON.stringify(report)).not.toContain('secret')
  })

  test('a proxy that refuses the tunnel is named, and nobody gets a text', async () => {
    await using proxy = await ConnectProxy.listen(undefined, (socket) => {
      socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      return false
    })
    const { one, report } = await examine(`https://${host}`, { scanClient: { httpsProxy: proxy.url() } })
    expect(wordsOf(one)).toMatchObject({ dns: '-', tcp: 'proxy', tls: '-', version: '-' })
    expect(one.steps.tcp.detail).toContain('the forward proxy answered 403')
    expect(report.letters).toEqual([])
  })

  test('a proxy that is down is not blamed on the scan', async () => {
    const httpsProxy = `http://127.0.0.1:${await freePort()}`
    const { one } = await examine(`https://${host}`, { scanClient: { httpsProxy } })
    expect(wordsOf(one)).toMatchObject({ dns: '-', tcp: 'proxy', tls: '-' })
  })
})
