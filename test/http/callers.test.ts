import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, startStage } from '../support/daemon.ts'
import { soonerThan } from '../support/eventually.ts'
import { speak } from '../support/speak.ts'

const path = '/api/scan/v0/dso-party-id'
const malformed = '{"error":"The request is not HTTP that this server understands."}'

let stage: Stage
beforeAll(async () => {
  stage = await startStage()
})
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
      while (heard === '') {
        stage.clock.advance(100)
        await new Promise(setImmediate)
      }
      await soonerThan(5_000, ended)
      expect(heard).toMatch(/^HTTP\/1\.1 404 .*No ans entry found/s)
    }
  })
})
