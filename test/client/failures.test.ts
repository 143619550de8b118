import { createServer } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ClientError, createClient } from '../../src/client/client.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'
import { onLoopback } from '../support/on-loopback.ts'

const url = 'https://daemon.example'
const party = 'DSO::1220ab'
const said = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }

async function failure(asked: Promise<unknown>): Promise<ClientError> {
  const error: unknown = await asked.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof ClientError) return error
  throw new Error('a ClientError was expected', { cause: error })
}

describe('an error of a read says how close the quorum came', () => {
  afterEach(() => nock.cleanAll())
  const failing = (headers: Readonly<Record<string, string>>) => {
    const all = { 'x-bft-error': 'noConsensus', ...headers }
    nock(url).get('/api/scan/v0/dso-party-id').reply(502, { error: 'No.' }, all)
    return failure(createClient({ url }).getDsoPartyId())
  }

  test('with all that x-bft-quorum says', async () => {
    const header =
      'agreed=2, threshold=3, asked=5, voters=7, set-aside=1, operators=1, operator-threshold=2, operator-voters=3, protected=?0'
    const { code, quorum } = await failing({ 'x-bft-quorum': header })
    expect({ code, quorum }).toEqual({
      code: 'noConsensus',
      quorum: {
        agreed: 2,
        threshold: 3,
        asked: 5,
        voters: 7,
        setAside: 1,
        operators: { agreed: 1, threshold: 2, voters: 3 },
        protected: false,
      },
    })
  })

  test.each([
    ['without a roster', { 'x-bft-quorum': 'agreed=0, asked=0, voters=0' }],
    ['with words that are no numbers', { 'x-bft-quorum': 'agreed=2, threshold=many, asked=5, voters=7' }],
    ['without the header', {}],
  ])('and nothing %s', async (_, headers) => {
    expect((await failing(headers)).quorum).toBeUndefined()
  })
})

describe('retry-after is seconds or a date', () => {
  afterEach(() => nock.cleanAll())
  const secondsOf = async (text: string): Promise<number | undefined> => {
    nock(url).get('/api/scan/v0/dso-party-id').reply(503, 'later', { 'retry-after': text })
    return (await failure(createClient({ url }).getDsoPartyId())).retryAfter
  }

  test('a date of HTTP is the seconds from now', async () => {
    const date = new Date(Date.now() + 90_000).toUTCString()
    const forms = [date, date.replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, '$1 $3 $2 $5 $4')]
    for (const form of forms) {
      const seconds = await secondsOf(form)
      expect(seconds).toBeGreaterThan(60)
      expect(seconds).toBeLessThanOrEqual(90)
    }
  })

  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['0', 0],
    [' 7 ', 7],
    ['', undefined],
    ['-7', undefined],
    ['soon', undefined],
    ['Sun, soon', undefined],
    ['0x10', undefined],
    ['9'.repeat(400), undefined],
  ])('%j is %j', async (text, seconds) => {
    expect(await secondsOf(text)).toBe(seconds)
  })
})

describe('an answer that is not that of a daemon is shown by its beginning', () => {
  afterEach(() => nock.cleanAll())
  test.each<readonly [string, string, string]>([
    ['a page', '<html>\r\n<title>502 Bad\tGateway</title>', '<html> <title>502 Bad Gateway</title>'],
    ['one that would colour a terminal', '\u001b[31mred\u0000\u202e', '[31mred'],
    ['a long one', 'a'.repeat(5_000), `${'a'.repeat(120)}…`],
    ['one with much space', `b${' '.repeat(5_000)}c`, 'b…'],
  ])('%s', async (_, body, shown) => {
    nock(url).get('/api/scan/v0/dso-party-id').reply(502, body)
    expect(await failure(createClient({ url }).getDsoPartyId())).toMatchObject({
      code: 'misunderstood',
      retryable: true,
      message: `the answer, with status 502, is not that of a daemon: ${shown}`,
    })
  })

  test('and an empty one by its status', async () => {
    nock(url).get('/api/scan/v0/dso-party-id').reply(502, '')
    const { message } = await failure(createClient({ url }).getDsoPartyId())
    expect(message).toBe('the answer, with status 502, is not that of a daemon')
  })
})

describe('an error about an address without an answer has the reason, and not the question', () => {
  const messageAt = async (base: string): Promise<string> => {
    const error = await failure(createClient({ url: base }).lookupAnsEntryByName({ name: 'secret.cns' }))
    expect(error).toMatchObject({ code: 'unreachable', retryable: true, status: undefined })
    expect(error.message).not.toContain('secret')
    return error.message
  }

  test('a port that nobody listens on', async () => {
    const { port, [Symbol.dispose]: close } = await onLoopback(createSocketServer())
    close()
    const base = `http://127.0.0.1:${port}/scan`
    expect(await messageAt(base)).toBe(`nobody answers at ${base}: the connection was refused (ECONNREFUSED)`)
  })

  test('that fetch blocks the port', async () => {
    const base = 'http://127.0.0.1:1'
    expect(await messageAt(base)).toBe(`nobody answers at ${base}: HTTP clients never ask this port`)
  })

  test('a server that hangs up', async () => {
    using server = await onLoopback(createSocketServer((socket) => socket.destroy()))
    expect(await messageAt(`http://127.0.0.1:${server.port}`)).toContain(': the connection was closed (')
  })

  test('a server that hangs up within its answer', async () => {
    const cut = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{', () => response.destroy())
    })
    using server = await onLoopback(cut)
    const base = `http://127.0.0.1:${server.port}`
    const message = await messageAt(base)
    expect(message).toMatch(/ broke its answer off: the connection was closed \(\w+\)$/)
    expect(message).toContain(base)
  })

  test('a server that speaks no TLS', async () => {
    using server = await onLoopback(createServer())
    expect(await messageAt(`https://127.0.0.1:${server.port}`)).toMatch(/: TLS failed \(\w+\)$/)
  })

  test.each([
    ['ENOTFOUND', 'the name was not found (ENOTFOUND)'],
    ['EAI_AGAIN', 'the name was not found (EAI_AGAIN)'],
    ['UND_ERR_CONNECT_TIMEOUT', 'it took too long (UND_ERR_CONNECT_TIMEOUT)'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)'],
    ['EHOSTUNREACH', 'there is no route to it (EHOSTUNREACH)'],
    ['HPE_INVALID_CONSTANT', 'the answer is not HTTP (HPE_INVALID_CONSTANT)'],
    ['ENEWCODE', 'ENEWCODE'],
  ])('the code %s', async (code, reason) => {
    nock(url)
      .get(/./)
      .replyWithError(Object.assign(new Error('secret'), { code }))
    expect(await messageAt(url)).toBe(`nobody answers at ${url}: ${reason}`)
  })

  test('no reason where the runtime has none, as in a browser', async () => {
    nock(url).get(/./).replyWithError(new Error('secret'))
    expect(await messageAt(url)).toBe(`nobody answers at ${url}`)
  })
})

describe('a client of a daemon on a localnet', () => {
  let stage: Stage<undefined>
  beforeAll(async () => {
    stage = await startLiveStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test.each([
    '/api/scan',
    '/api/scan/v0',
    '/api',
    '/v0',
    '/docs',
    '/openapi.json',
    '/registry',
    '/v0/scan-proxy',
    '/',
  ])('with the path %s too many says what the url has to be', async (path) => {
    const client = createClient({ url: `${stage.daemon.http}${path}` })
    for (const asked of [
      client.lookupAnsEntryByName({ name: 'dso.cns' }),
      client.getUpdateHistoryV2({ body: { page_size: 1 } }),
    ]) {
      if (path === '/') {
        expect(await asked).toMatchObject({ kind: 'value' })
        continue
      }
      const error = await failure(asked)
      expect(error).toMatchObject({ code: 'misunderstood', retryable: false, status: 404 })
      expect(error.message).toBe(
        `no read API at ${stage.daemon.http}${path}: the url of a client must be the address of the daemon without the path of an API, such as ${stage.daemon.http}`,
      )
    }
  })

  test('learns from each answer that it is one', async () => {
    const client = createClient({ url: stage.daemon.http })
    const network = 'localnet'
    expect(await client.lookupAnsEntryByName({ name: 'dso.cns' })).toMatchObject({ kind: 'value', network })
    expect(await client.lookupAnsEntryByName({ name: 'nobody.cns' })).toMatchObject({
      kind: 'absence',
      network,
    })
  })

  test('learns how many agreed where too few did', async () => {
    await stage.fault(stage.names, { kind: 'lie', alone: true })
    try {
      const client = createClient({ url: stage.daemon.http })
      const asked = client.lookupAnsEntryByName({ name: 'dso.cns' }, { live: true })
      const { code, quorum, requestId } = await failure(asked)
      expect(requestId).toMatch(/./)
      expect({ code, quorum }).toMatchObject({
        code: 'noConsensus',
        quorum: { agreed: 1, threshold: 2, asked: 4, voters: 4, protected: true },
      })
    } finally {
      await stage.fault(stage.names, undefined)
    }
  })
})

test('an error has the id of its request where the response names one', async () => {
  const headers = { 'x-bft-error': 'noConsensus', 'x-request-id': 'r-1' }
  nock(url).get('/api/scan/v0/dso-party-id').reply(502, { error: 'No.' }, headers)
  expect((await failure(createClient({ url }).getDsoPartyId())).requestId).toBe('r-1')
  nock(url).get('/api/scan/v0/dso-party-id').reply(502, '')
  expect((await failure(createClient({ url }).getDsoPartyId())).requestId).toBeUndefined()
})

test('an older daemon behind a prefix that lacks a read is no wrong address', async () => {
  const error = { error: 'The requested resource could not be found: /api/scan/v0/dso-party-id' }
  nock(url).get('/scan/api/scan/v0/dso-party-id').reply(404, error, { 'x-bft-error': 'unknownPath' })
  const failed = await failure(createClient({ url: `${url}/scan` }).getDsoPartyId())
  expect(failed).toMatchObject({ code: 'unknownPath', status: 404, message: error.error })
})

test('a daemon of another network than a localnet names none', async () => {
  nock(url).get('/api/scan/v0/dso-party-id').reply(200, { dso_party_id: party }, said)
  expect((await createClient({ url }).getDsoPartyId()).network).toBeUndefined()
})
