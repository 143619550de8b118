import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { heapUsed } from '../support/heap.ts'
import { longestBlockMs } from '../support/longest-block.ts'
import { openRelay, pours, stands, told } from './relay-doors.ts'

const updates = '/v2/updates'
const version = (request: IncomingMessage, response: ServerResponse) => {
  if (request.url !== '/v2/version') return false
  response.end('{}')
  return true
}

/** Caller, daemon and participant share this process. Without pauses, a block would take seconds. */
const ofThreeParties = 200

describe('a request below /v2 and its answer', () => {
  test('keep their bytes, their target, their status and their headers', async () => {
    await using doors = await openRelay({ relay: 'all', path: '/participant/' })
    const [sent, answered] = [randomBytes(300_000), randomBytes(300_000)]
    let seen: IncomingMessage | undefined
    let body = Buffer.alloc(0)
    doors.answers(async (request, response) => {
      seen = request
      body = await buffer(request)
      const raw = 'X-Twice a X-Twice b Set-Cookie c=1 Set-Cookie d=2 x-latin caf\u00e9'.split(' ')
      const hops = 'Connection x-hop x-hop 1 Content-Encoding gzip'.split(' ')
      response.writeHead(207, 'Many Things', [...raw, ...hops])
      response.end(answered)
    })
    const headers = 'X-Odd a x-odd b Content-Type x/y x-latin caf\u00e9 Content-Encoding br'.split(' ')
    const hops = [
      'connection',
      'close, x-mine',
      ...'x-mine 1 te trailers proxy-authorization secret'.split(' '),
    ]
    const target = '/v2/users/a%2Fb%20c?q=%2F+&q=&%C3%A9#f'
    const heard = await doors.asks(target, { method: 'PATCH', headers: [...headers, ...hops], body: sent })

    expect(seen).toMatchObject({ method: 'PATCH', url: `/participant${target}` })
    expect(body.equals(sent)).toBe(true)
    const passed = ['authorization', 'Bearer good', ...headers, 'content-length', '300000']
    expect(seen?.rawHeaders).toEqual([
      'host',
      new URL(doors.url).host.replace(/\d+$/, portOf(doors)),
      ...passed,
      'Connection',
      'keep-alive',
    ])
    expect(heard).toMatchObject({ status: 207, reason: 'Many Things' })
    expect(heard.body.equals(answered)).toBe(true)
    expect(heard.raw.slice(0, 10)).toEqual(
      'X-Twice a X-Twice b Set-Cookie c=1 Set-Cookie d=2 x-latin caf\u00e9'.split(' '),
    )
    expect(heard.headers).not.toHaveProperty('x-hop')
    expect(heard.headers).toMatchObject({
      'content-encoding': 'gzip',
      'access-control-allow-origin': '*',
      'x-bft-network': 'localnet',
    })
  })

  test.each([
    ['GET', undefined],
    ['DELETE', undefined],
    ['POST', '0'],
  ])('have no body where the caller sends none: %s', async (method, length) => {
    await using doors = await openRelay({ relay: 'all' })
    doors.answers((request, response) => response.end(JSON.stringify(request.headers)))
    const socket = await doors.connects()
    socket.write(
      `${method} /v2/users/alice HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\nconnection: close\r\n\r\n`,
    )
    const text = (await buffer(socket)).toString()
    const headers = JSON.parse(/\{.*\}/.exec(text)?.[0] ?? '')
    expect(headers['transfer-encoding']).toBeUndefined()
    expect(headers['content-length']).toBe(length)
  })

  test('are passed on in parts, as these come', async () => {
    await using doors = await openRelay()
    doors.answers(async (request, response) => {
      for await (const part of request) response.write(`<${part}>`)
      response.end('end')
    })
    const sent = doors.begin(updates, { method: 'POST', headers: ['transfer-encoding', 'chunked'] })
    sent.write('one')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(String((await once(answer, 'data'))[0])).toBe('<one>')
    sent.write('two')
    expect(String((await once(answer, 'data'))[0])).toBe('<two>')
    sent.end()
    expect(String((await once(answer, 'data'))[0])).toBe('end')
  })

  test.each([
    ['HEAD', 200, { 'content-length': '7' }],
    ['GET', 204, {}],
    ['GET', 304, { etag: '"a"' }],
  ] as const)('may have no body: %s with %i', async (method, status, headers) => {
    await using doors = await openRelay()
    doors.answers((_, response) => void response.writeHead(status, headers).end())
    const heard = await doors.asks('/v2/packages', { method })
    expect(heard).toMatchObject({ status, headers })
    expect(heard.body).toHaveLength(0)
  })

  test.each([
    ['GET', 204, 'content-length: 5\r\n', undefined],
    ['GET', 204, 'content-length: 5\r\n\r\nhello', undefined],
    ['GET', 204, 'transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n', undefined],
    ['GET', 304, 'content-length: 5\r\n', '5'],
    ['GET', 304, 'content-length: 5\r\n\r\nhello', '5'],
    ['HEAD', 200, 'content-length: 5\r\n\r\nhello', '5'],
  ])('leave the caller’s connection usable: %s, %i and %j', async (method, status, rest, length) => {
    await using doors = await openRelay()
    doors.answers((_, response) => response.socket?.end(`HTTP/1.1 ${status} Said\r\n${rest}\r\n`))
    const socket = await doors.connects()
    const ask = `${method} /v2/packages HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\n\r\n`
    socket.write(ask)
    const next = async () => String((await once(socket, 'data'))[0])
    const whole = new RegExp(`^HTTP/1\\.1 ${status} Said\r\n[\\s\\S]*\r\n\r\n$`)
    const first = await next()
    expect(first).toMatch(whole)
    expect(/^content-length: (.*)$/im.exec(first)?.[1]).toBe(length)
    expect(first).not.toMatch(/^transfer-encoding/im)
    socket.write(ask)
    expect(await next()).toMatch(whole)
    socket.destroy()
  })

  test('have only the daemon’s own headers of CORS, and none that names a quorum', async () => {
    await using doors = await openRelay()
    const ofAnother = ['Access-Control-Allow-Origin', 'https://a', 'access-control-allow-credentials', 'true']
    const faked = ['X-Bft-Agreed', '"a"', 'x-bft-network', 'mainnet']
    doors.answers((_, response) => void response.writeHead(200, [...ofAnother, ...faked]).end())
    const { headers } = await doors.asks('/v2/packages')
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    expect(headers).not.toHaveProperty('x-bft-agreed')
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-bft-network': 'localnet' })
  })

  test('have the path that was checked, without empty segments, and the query as it came', async () => {
    await using doors = await openRelay()
    doors.answers((request, response) => void response.end(request.url))
    const { body } = await doors.asks('//v2///users//a%2F%2Fb/?q=//&r=/')
    expect(body.toString()).toBe('/v2/users/a%2F%2Fb?q=//&r=/')
  })

  test('reach the participant although the caller waits for leave to send its body', async () => {
    await using doors = await openRelay()
    doors.answers(async (request, response) => void response.end(await buffer(request)))
    const headers = ['expect', '100-continue', 'content-length', '2']
    const sent = doors.begin(updates, { method: 'POST', headers })
    sent.flushHeaders()
    await once(sent, 'continue')
    sent.end('{}')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect((await told(answer)).body.toString()).toBe('{}')
  })

  test('share connections to the participant', async () => {
    await using doors = await openRelay()
    const ports = new Set<number | undefined>()
    doors.answers((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('{}')
    })
    for (let each = 0; each < 5; each++) await doors.asks('/v2/packages')
    expect(ports.size).toBe(1)
  })

  test('are in no cache of the daemon and leave its other paths alone', async () => {
    await using doors = await openRelay()
    let asked = 0
    doors.answers((_, response) => void response.end(String(++asked)))
    expect((await doors.asks('/v2/packages')).body.toString()).toBe('1')
    expect((await doors.asks('/v2/packages')).body.toString()).toBe('2')
    expect((await doors.asks('/livez')).status).toBe(200)
    expect((await doors.asks('/v2/packages', { method: 'OPTIONS' })).status).toBe(200)
    expect(asked).toBe(2)
  })
})

describe('of a token,', () => {
  test.each([
    ['none', '', 401, 'NA'],
    ['one that is not valid', 'forged', 401, 'NA'],
    ['one that cannot be checked now', 'unchecked', 503, 'SERVICE_NOT_RUNNING'],
  ])('%s is refused before the body is read', async (_, token, status, code) => {
    await using doors = await openRelay()
    let asked = 0
    doors.answers((_request, response) => void response.end(String(++asked)))
    const sent = doors.begin(updates, { method: 'POST', token, headers: ['content-length', '9'] })
    sent.on('error', () => {}).flushHeaders()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(await told(answer)).toMatchObject({ status, json: { code } })
    sent.destroy()
    expect(asked).toBe(0)
  })

  test('none is needed for the version', async () => {
    await using doors = await openRelay()
    doors.answers((request, response) => void response.end(request.headers.authorization ?? 'none'))
    expect((await doors.asks('/v2/version', { token: '' })).body.toString()).toBe('none')
  })
})

describe('ledger.relay', () => {
  const reads = [
    'GET /v2/authenticated-user',
    'GET /v2/users',
    'GET /v2/users/alice/rights',
    'GET /v2/parties/participant-id',
    'GET /v2/packages/ab',
    'HEAD /v2/packages',
    'GET /v2/state/ledger-end',
    'POST /v2/updates?limit=1',
    'POST //v2/updates/',
    'POST /v2/updates/get-updates-page',
    'POST /v2/state/active-contracts',
    'POST /v2/events/events-by-contract-id',
    'POST /v2/commands/completions',
    'POST /v2/interactive-submission/preferred-packages',
  ]
  const changes = [
    'POST /v2/commands/submit-and-wait',
    'POST /v2/commands/async/submit',
    'POST /v2/interactive-submission/prepare',
    'POST /v2/interactive-submission/execute',
    'POST /v2/users',
    'PATCH /v2/users/alice',
    'DELETE /v2/users/alice',
    'POST /v2/users/alice/rights',
    'POST /v2/parties',
    'PATCH /v2/parties/a',
    'POST /v2/packages',
    'POST /v2/dars',
    'POST /v2/package-vetting/update',
    'PUT /v2/updates',
    'POST /v2/%75pdates',
    'POST /v2/a-later-operation',
  ]
  const asking = (line: string) => {
    const [method = '', target = ''] = line.split(' ')
    return [target, { method, ...(method === 'POST' && { body: '{}' }) }] as const
  }

  test('reads passes what only reads', async () => {
    await using doors = await openRelay()
    for (const line of reads) expect((await doors.asks(...asking(line))).status, line).toBe(200)
  })

  test('reads refuses what may change the ledger in Canton’s form, and all passes it', async () => {
    await using doors = await openRelay()
    await using open = await openRelay({ relay: 'all' })
    for (const line of changes) {
      const [method, target] = line.split(' ')
      const { status, json } = await doors.asks(...asking(line))
      expect({ status, ...json }).toMatchObject({
        status: 501,
        code: 'UNSUPPORTED_OPERATION',
        cause: `${method} ${target} is not relayed, because it may change the ledger. Ask your participant.`,
        grpcCodeValue: 12,
      })
      expect((await open.asks(...asking(line))).status, line).toBe(200)
    }
  })

  test('off answers that there is no such path, as Canton does', async () => {
    await using doors = await openRelay({ relay: 'off' })
    const { status, json } = await doors.asks('/v2/version?a=b', { token: '' })
    expect({ status, json }).toEqual({
      status: 404,
      json: { errors: ['[GET /v2/version?a=b]'], status: 404, ledgerApiError: null },
    })
  })

  test('never leaves /v2', async () => {
    await using doors = await openRelay({ relay: 'all' })
    for (const target of [
      '/v2/../admin',
      '/v2/users/%2e%2E/x',
      '/v2/.',
      '/v2/..%2fadmin',
      '/v2/users/x%2F..%5c..%2fadmin',
      '/v2/..;a=b/admin',
      '/v2/..\\admin',
      '/%76%32/version',
      '/v%32/state/ledger-end',
      '/v0/../v2/version',
      '/v0/%2E%2e/v2/version',
    ])
      expect((await doors.asks(target)).status, target).toBe(404)
  })
})

describe('a participant that', () => {
  const good = async (doors: Awaited<ReturnType<typeof openRelay>>) => {
    doors.answers((_, response) => void response.end('well'))
    expect((await doors.asks('/v2/packages')).body.toString()).toBe('well')
  }
  const raw = (bytes: string) => (_: IncomingMessage, response: ServerResponse) => {
    response.socket?.end(bytes)
  }
  const broken: readonly (readonly [string, (request: IncomingMessage, response: ServerResponse) => void])[] =
    [
      ['resets', (_, response) => void response.socket?.resetAndDestroy()],
      ['closes', (_, response) => void response.socket?.end()],
      ['answers in no HTTP', raw('so sorry\r\n\r\n')],
      [
        'switches protocols',
        raw('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      ],
      ['answers a status that is none', raw('HTTP/1.1 000 Odd\r\ncontent-length: 0\r\n\r\n')],
      ['has a control character in its reason', raw('HTTP/1.1 200 a\u0001\r\ncontent-length: 0\r\n\r\n')],
      ['announces an endless body', raw(`HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n`)],
      ['floods with headers', raw(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(999)}\r\n`.repeat(99)}`)],
      ['floods with interim answers', raw('HTTP/1.1 102 Processing\r\n\r\n'.repeat(9_999))],
    ]

  test.each(broken)('%s is a 502 in Canton’s form, and costs nothing else', async (_, serve) => {
    await using doors = await openRelay()
    doors.answers(serve)
    const { status, json } = await doors.asks(updates, { method: 'POST', body: '{}' })
    expect({ status, ...json }).toMatchObject({
      status: 502,
      code: 'SERVICE_NOT_RUNNING',
      cause: 'The participant cannot be reached, or broke its answer off.',
      errorCategory: 1,
    })
    await good(doors)
  })

  test('hangs is a 504 in Canton’s form, and costs nothing else', async () => {
    await using doors = await openRelay()
    let asked = false
    doors.answers(() => {
      asked = true
    })
    const hung = doors.asks(updates, { method: 'POST', body: '{}' })
    await eventually(() => asked)
    await good(doors)
    doors.clock.advance(65_000)
    const { status, json } = await hung
    expect({ status, ...json }).toMatchObject({
      status: 504,
      code: 'REQUEST_TIME_OUT',
      cause: 'The participant sent nothing for 65 s.',
      grpcCodeValue: 4,
    })
    await eventually(() => doors.sockets.size <= 1)
    await good(doors)
  })

  const halves: readonly (readonly [string, (response: ServerResponse) => void])[] = [
    ['hangs', () => {}],
    ['resets', (response) => void response.socket?.resetAndDestroy()],
    ['closes', (response) => void response.socket?.end()],
    ['goes on without end', (response) => void pours(response)],
  ]
  test.each(halves)('%s in the middle cuts the answer', async (_, act) => {
    await using doors = await openRelay({ limits: { answerBytes: 1_000_000 } })
    let sent: ServerResponse | undefined
    doors.answers((_request, response) => {
      sent = response
      response.writeHead(200, { 'content-type': 'application/json' }).write('[')
    })
    const asked = doors.begin('/v2/packages')
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await once(answer, 'data')
    act(sent as ServerResponse)
    const rest = buffer(answer)
    rest.catch(() => {})
    doors.clock.advance(65_000)
    await expect(rest).rejects.toThrow('aborted')
    await eventually(() => doors.sockets.size === 0)
    await good(doors)
  })

  test('sends a body in very small chunks does not block the daemon', async () => {
    await using doors = await openRelay()
    const chunks = '1\r\nx\r\n'.repeat(200_000)
    doors.answers(raw(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`))
    const longest = await longestBlockMs(async () => {
      expect((await doors.asks('/v2/packages')).body).toHaveLength(200_000)
    })
    expect(longest).toBeLessThan(ofThreeParties)
  })

  test('answers before it has the whole body is heard', async () => {
    await using doors = await openRelay({ relay: 'all' })
    doors.answers((_, response) => void response.writeHead(409).end('no'))
    const sent = doors.begin('/v2/dars', { method: 'POST', headers: ['content-length', '9000'] })
    sent.on('error', () => {}).write('begin')
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect(await told(answer)).toMatchObject({ status: 409 })
    sent.destroy()
    await eventually(() => doors.sockets.size === 0)
    await good(doors)
  })
})

describe('of a body', () => {
  test.each([
    ['is too large', '1001', 'good', 413],
    ['comes without a valid token', '2', 'forged', 401],
  ])('that %s, none is asked for', async (_, length, token, status) => {
    await using doors = await openRelay({ limits: { requestBytes: 1_000 } })
    const headers = ['expect', '100-continue', 'content-length', length]
    const sent = doors.begin(updates, { method: 'POST', token, headers })
    let isAskedFor = false
    sent.on('continue', () => {
      isAskedFor = true
    })
    sent.on('error', () => {}).flushHeaders()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    expect([answer.statusCode, isAskedFor]).toEqual([status, false])
    sent.destroy()
  })

  test('no more is read than a slow caller takes', async () => {
    await using doors = await openRelay()
    let taken = () => 0
    doors.answers((request, response) => {
      if (!version(request, response)) taken = pours(response)
    })
    const asked = doors.begin('/v2/packages')
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    answer.pause()
    const before = await stands(doors, taken)
    expect(before).toBeLessThan(32_000_000)
    answer.resume()
    await eventually(() => taken() > before + 10_000_000)
    answer.destroy()
    await eventually(() => doors.sockets.size <= 1)
  })

  test('no more is read than a slow participant takes', async () => {
    await using doors = await openRelay({ relay: 'all', limits: { requestBytes: 1e9 } })
    let waiting: IncomingMessage | undefined
    doors.answers((request, response) => {
      if (!version(request, response)) waiting = request
    })
    const sent = doors.begin('/v2/dars', { method: 'POST', headers: ['transfer-encoding', 'chunked'] })
    sent.flushHeaders()
    await once(sent, 'socket')
    const taken = pours(sent as unknown as ServerResponse)
    const before = await stands(doors, taken)
    expect(before).toBeLessThan(32_000_000)
    waiting?.resume()
    await eventually(() => taken() > before + 10_000_000)
    sent.destroy()
    await eventually(() => doors.sockets.size <= 1)
  })

  test.each([
    ['announces', ['content-length', '1001']],
    ['sends', ['transfer-encoding', 'chunked']],
  ])('that is too large, nothing more is taken: the caller %s it', async (_, headers) => {
    await using doors = await openRelay({ limits: { requestBytes: 1_000 } })
    doors.answers((request) => void request.resume())
    const sent = doors.begin(updates, { method: 'POST', headers })
    sent.on('error', () => {}).write(Buffer.alloc(1_001))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    const { status, body, headers: said } = await told(answer)
    expect({ status, text: body.toString(), type: said['content-type'] }).toEqual({
      status: 413,
      text: 'The request content exceeds the limit of 1000 bytes',
      type: 'text/plain; charset=UTF-8',
    })
    await eventually(() => doors.sockets.size === 0)
  })

  test('of 200 MB, little is in memory at any time', async () => {
    await using doors = await openRelay()
    doors.answers((_, response) => void pours(response))
    const asked = doors.begin('/v2/packages')
    asked.end()
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    const live = async () => {
      await heapUsed()
      return process.memoryUsage().arrayBuffers
    }
    const before = await live()
    let taken = 0
    for await (const part of answer) {
      taken += part.length
      // The collector runs ten times. It frees what all three parties read and dropped, some of it a little later.
      if (taken % 20_000_000 < part.length) await eventually(async () => (await live()) - before < 64_000_000)
      if (taken > 200_000_000) break
    }
  })
})

describe('a caller that', () => {
  test('leaves ends the request to the participant', async () => {
    await using doors = await openRelay()
    let asked = false
    doors.answers(() => {
      asked = true
    })
    const sent = doors.begin('/v2/packages')
    sent.on('error', () => {}).end()
    await eventually(() => asked)
    // A simple client that ends its side at once waits for the answer.
    doors.clock.advance(1_000)
    sent.destroy()
    await eventually(() => doors.sockets.size === 0)
  })

  test.each(['junk', 'GET / HTTP/1.1\r\n\r\n'])(
    'sends %j after its last request gets the answer to it',
    async (more) => {
      await using doors = await openRelay()
      doors.answers((_, response) => void setImmediate(() => response.end('{}')))
      const socket = await doors.connects()
      socket.write(`GET /v2/version HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n${more}`)
      expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n\{\}$/)
    },
  )

  test('goes on sending what cannot be parsed gets the answer to its request, and nothing piles up', async () => {
    await using doors = await openRelay()
    const open: ServerResponse[] = []
    doors.answers((_, response) => void open.push(response))
    const warned: Error[] = []
    const warn = (warning: Error) => warned.push(warning)
    process.on('warning', warn)
    const socket = await doors.connects()
    socket.write('GET /v2/version HTTP/1.1\r\nhost: a\r\n\r\n')
    await eventually(() => open.length === 1)
    for (let nth = 0; nth < 50; nth++)
      await new Promise<void>((sent) => socket.write('junk', () => setImmediate(sent)))
    open[0]?.end('{}')
    expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    process.off('warning', warn)
    expect(warned).toEqual([])
  })

  test('asks for a target that is no path is refused', async () => {
    await using doors = await openRelay()
    for (const target of ['v2%2e', '*%', '@%76.', '//%5b:x/v2/version']) {
      const socket = await doors.connects()
      socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`)
      expect((await buffer(socket)).toString()).toMatch(/^HTTP\/1\.1 40[04] /)
    }
    expect((await doors.asks('/v2/version')).status).toBe(200)
  })

  test('sends a body in very small chunks does not block the daemon', async () => {
    await using doors = await openRelay()
    doors.answers(async (request, response) => void response.end(String((await buffer(request)).length)))
    const head = `POST ${updates} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer good\r\ntransfer-encoding: chunked\r\n\r\n`
    const longest = await longestBlockMs(async () => {
      const socket = await doors.connects()
      socket.write(`${head}${'1\r\nx\r\n'.repeat(200_000)}0\r\n\r\n`)
      expect(String((await once(socket, 'data'))[0])).toMatch(/\r\n\r\n200000$/)
      socket.destroy()
    })
    expect(longest).toBeLessThan(ofThreeParties)
  })

  test('neither sends its body nor leaves is disconnected', async () => {
    await using doors = await openRelay()
    doors.answers((request) => void request.resume())
    const sent = doors.begin(updates, { method: 'POST', headers: ['content-length', '9'] })
    const cut = once(sent, 'error')
    sent.write('begin')
    await eventually(() => doors.sockets.size === 1)
    doors.clock.advance(65_000)
    expect((await cut)[0]).toMatchObject({ code: 'ECONNRESET' })
    await eventually(() => doors.sockets.size === 0)
  })

  test('has as many requests open as one client may have is refused, and others are not', async () => {
    await using doors = await openRelay({ limits: { perClient: 2 } })
    const open: ServerResponse[] = []
    doors.answers((_, response) => void open.push(response))
    const waiting = [doors.asks('/v2/packages'), doors.asks('/v2/packages')]
    await eventually(() => open.length === 2)
    const { status, json } = await doors.asks('/v2/packages')
    expect({ status, code: json.code }).toEqual({ status: 409, code: 'PARTICIPANT_BACKPRESSURE' })
    for (const response of open) response.end('{}')
    await Promise.all(waiting)
    const next = doors.asks('/v2/packages')
    await eventually(() => open.length === 3)
    open[2]?.end('{}')
    expect((await next).status).toBe(200)
  })
})

function portOf({ participant }: Awaited<ReturnType<typeof openRelay>>): string {
  return String((participant.address() as { port: number }).port)
}
