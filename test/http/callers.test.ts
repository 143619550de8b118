import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import { startStage } from '../support/daemon.ts'
import { asTimePasses, eventually } from '../support/eventually.ts'
import { speak } from '../support/speak.ts'

const path = '/api/scan/v0/dso-party-id'
const malformed = '{"error":"The request is not HTTP that this server understands."}'

const stage = await startStage()
afterAll(() => stage[Symbol.asyncDispose]())

async function told(start: string, ...headers: readonly string[]) {
  const lines = [start, ...headers, 'connection: close', '', '']
  const [head = '', body] = (await speak(stage.daemon.http, lines.join('\r\n'))).split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), body, isJson: /^content-type: application\/json/im.test(head) }
}

describe('A request with a head that two servers may read in two ways is 400, in the form of every error:', () => {
  test.each([
    ['no host', []],
    ['two hosts', ['host: a', 'host: b']],
    ['one host twice, in other letters', ['host: a', 'HOST: a']],
    ['two tokens', ['host: a', 'authorization: Bearer a', 'Authorization: Bearer b']],
    ['two content types', ['host: a', 'content-type: application/json', 'content-type: text/plain']],
    ['two lengths', ['host: a', 'content-length: 0', 'content-length: 1']],
    ['one length twice', ['host: a', 'content-length: 0', 'content-length: 0']],
    ['chunked twice', ['host: a', 'transfer-encoding: chunked', 'transfer-encoding: chunked']],
    ['chunks of another coding', ['host: a', 'transfer-encoding: gzip, chunked']],
    ['chunks in two codings', ['host: a', 'transfer-encoding: gzip', 'transfer-encoding: chunked']],
    ['a length and chunks', ['host: a', 'content-length: 5', 'transfer-encoding: chunked']],
    ['two hosts and a WebSocket', ['host: a', 'host: b', 'upgrade: websocket', 'connection: upgrade']],
  ])('%s', async (_what, headers) => {
    for (const target of [path, '/v2/updates'])
      expect(await told(`GET ${target} HTTP/1.1`, ...headers)).toEqual({
        status: 400,
        body: malformed,
        isJson: true,
      })
  })

  test('two hosts in HTTP/1.0, which needs none', async () => {
    expect((await told(`GET ${path} HTTP/1.0`)).status).toBe(200)
    expect((await told(`GET ${path} HTTP/1.0`, 'host: a', 'host: a')).status).toBe(400)
  })

  test('CONNECT', async () => {
    expect(await told('CONNECT localhost:443 HTTP/1.1', 'host: localhost')).toMatchObject({
      status: 400,
      body: malformed,
    })
  })
})

describe('Odd but valid requests are answered:', () => {
  test.each(['[::ffff:127.0.0.1]', '[0:0:0:0:0:0:0:1]:80', '[2001:0DB8::1]', 'localhost:'])(
    'the host %s',
    async (host) => {
      expect((await told(`GET ${path} HTTP/1.1`, `host: ${host}`)).status).toBe(200)
      const operations = `GET /livez HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`
      expect(await speak(stage.daemon.operations, operations)).toMatch(/^HTTP\/1\.1 200 /)
    },
  )

  test.each([
    ['a whole URL', `GET http://scan.example${path} HTTP/1.1`],
    ['a whole URL in capitals', `GET HTTP://SCAN.example:80${path} HTTP/1.1`],
    ['a whole URL with empty segments', `GET http://scan.example//api/scan//v0/dso-party-id/ HTTP/1.1`],
    ['a whole URL of https', `GET https://scan.example${path}?x HTTP/1.1`],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1'],
    ['HEAD', `HEAD ${path} HTTP/1.1`],
    ['empty lines before it', `\r\n\r\nGET ${path} HTTP/1.1`],
    ['blanks around values', `GET ${path} HTTP/1.1\r\naccept: \t*/* \t`],
    ['a body that nobody needs', `GET ${path} HTTP/1.1\r\ncontent-length: 0`],
    ['an upgrade to HTTP/2', `GET ${path} HTTP/1.1\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__`],
  ])('%s', async (_what, start) => {
    expect((await told(start, 'host: localhost')).status).toBe(200)
  })

  test('a caller that ends its side of the connection after the request gets its answer', async () => {
    await stage.fault(stage.names, { kind: 'delay', ms: 1_000 })
    const { hostname, port } = new URL(stage.daemon.http)
    for (const version of ['1.0', '1.1']) {
      const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
      const name = `half-closed-${version.replace('.', '-')}.unverified.cns`
      socket.end(`GET /api/scan/v0/ans-entries/by-name/${name} HTTP/${version}\r\nhost: localhost\r\n\r\n`)
      let heard = ''
      socket.on('data', (part: Buffer) => {
        heard += part.toString()
      })
      const ended = once(socket, 'end')
      await eventually(async () => (await stage.metrics()).value('scan_proxy_in_flight_asks') > 0)
      await asTimePasses(stage.clock, ended)
      expect(heard).toMatch(/^HTTP\/1\.1 404 .*No ans entry found/s)
    }
    await stage.fault(stage.names, undefined)
  })
})

describe("Spellings that Splice's decoders take are the same request:", () => {
  const post = (body: string, headers: Readonly<Record<string, string>> = {}, route = '/v2/updates') =>
    stage.get(`/api/scan${route}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })

  test.each<readonly [string, string, Readonly<Record<string, string>>]>([
    ['a number as a text', '{"page_size":"1"}', {}],
    ['a decimal that is whole', '{"page_size":"1.0e0","after":null}', {}],
    ['a member that nobody knows', '{"page_size":1,"more":{"a":[1]}}', {}],
    ['white space around', ' \r\n\t{ "page_size" : 1 }\r\n', {}],
    ['a byte order mark', '\ufeff{"page_size":1}', {}],
    ['a charset', '{"page_size":1}', { 'content-type': 'application/json; charset="UTF-8"' }],
    [
      'a charset inside of another value',
      '{"page_size":1}',
      { 'content-type': 'application/json; x="\\"; charset=latin1"; charset=utf-8' },
    ],
    ['an empty content type', '{"page_size":1}', { 'content-type': '' }],
    ['chunks', '{"page_size":1}', { 'transfer-encoding': 'chunked' }],
    ['an encoding that is none', '{"page_size":1}', { 'content-encoding': 'identity' }],
  ])('%s', async (_what, body, headers) => {
    const { status, text } = await post('{"page_size":1}')
    expect(status).toBe(200)
    expect(await post(body, headers)).toMatchObject({ status, text })
  })

  test('numbers as texts inside of members', async () => {
    const since = (id: unknown) =>
      JSON.stringify({
        page_size: 1,
        after: { after_migration_id: id, after_record_time: '2020-01-01T00:00:00Z' },
      })
    const { status, text } = await post(since(0))
    expect(status).toBe(200)
    expect(await post(since('0'))).toMatchObject({ status, text })
    for (const id of ['', ' 0', '0x0', 'zero', '1.5', '01', null, true])
      expect((await post(since(id))).status).toBe(400)
  })

  test.each([
    ['page%5Fsize=2', 'an encoded name'],
    ['&&page_size=2', 'empty parts'],
    ['page_size=0002', 'zeros before a number'],
    ['page_size=%2B2', 'a plus before a number'],
    ['page_size=2&page_size=9', 'a name twice, of which the first counts'],
    ['page_size=2&name_prefix', 'a name without a value'],
  ])('?%s', async (query) => {
    const { status, text } = await stage.get('/api/scan/v0/ans-entries?page_size=2')
    expect(status).toBe(200)
    expect(await stage.get(`/api/scan/v0/ans-entries?${query}`)).toMatchObject({ status, text })
  })
})
