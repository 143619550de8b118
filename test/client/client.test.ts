import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { ClientError, createClient } from '../../src/client/client.ts'
import { spliceErrors } from '../../src/errors/splice.ts'
import { type Stage, startLiveStage } from '../support/daemon.ts'

const url = 'https://daemon.example'

describe('what the client sends', () => {
  afterEach(() => nock.cleanAll())

  const said = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }

  test('is the path of the row below the address that it was given, with the token', async () => {
    const headers = { authorization: 'Bearer t-1', accept: 'application/json' }
    const asked = nock(url, { reqheaders: headers })
      .get('/scan/api/scan/v0/ans-entries?name_prefix=%C3%A4%2F&page_size=3')
      .reply(200, { entries: [] }, said)
    const client = createClient({ url: `${url}/scan/`, token: async () => 't-1' })
    expect(await client.listAnsEntries({ page_size: 3, name_prefix: 'ä/' })).toMatchObject({
      value: { entries: [] },
    })
    expect(asked.isDone()).toBe(true)
  })

  test('is the body that the caller gives, and JSON', async () => {
    const asked = nock(url, { reqheaders: { 'content-type': 'application/json' } })
      .post('/api/scan/v2/updates', { after: null, page_size: 2 })
      .reply(200, { transactions: [] }, said)
    await createClient({ url }).getUpdateHistoryV2({ body: { page_size: 2, after: null } })
    expect(asked.isDone()).toBe(true)
  })

  test('is the body that the read always has where callers give none', async () => {
    const asked = nock(url)
      .post('/api/scan/v0/ans-rules', {})
      .reply(404, { error: 'There are no rules.' }, said)
    expect(await createClient({ url }).getAnsRules()).toMatchObject({ kind: 'absence', status: 404 })
    expect(asked.isDone()).toBe(true)
  })
})

describe('a client needs an http or https URL', () => {
  test.each([
    ['localhost:8080', 'http://localhost:8080'],
    ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['[::1]:8080/scan', 'http://[::1]:8080/scan'],
    ['nonsense', 'http://nonsense'],
    ['ws://scan.example.org', 'http://scan.example.org'],
    ['/scan', 'http://127.0.0.1:8080'],
    ['not a url', 'http://127.0.0.1:8080'],
  ])('%j is rejected at once, and the error shows %s', (given, corrected) => {
    const make = () => createClient({ url: given })
    expect(make).toThrow(ClientError)
    expect(make).toThrow(
      expect.objectContaining({
        code: 'badUrl',
        retryable: false,
        status: undefined,
        message: `The url of a client must be an http or https URL, such as ${corrected}; it is '${given}'.`,
      }),
    )
  })

  test('a client without a URL is told what it needs', () => {
    for (const options of [{}, { url: undefined }, { url: '' }])
      expect(() => createClient(options as never)).toThrow(
        'A client needs the url of a daemon, such as http://127.0.0.1:8080.',
      )
  })

  test('the corrected URL is one that a client takes', () => {
    expect(createClient({ url: 'http://localhost:8080' })).toHaveProperty('read')
    expect(createClient({ url: new URL('https://scan.example.org/scan/') })).toHaveProperty('read')
  })
})

describe('what the client understands', () => {
  afterEach(() => nock.cleanAll())

  const party = 'DSO::1220ab'
  const reply = (status: number, body: string | object, headers: Readonly<Record<string, string>> = {}) =>
    nock(url).get('/api/scan/v0/dso-party-id').reply(status, body, headers)
  const ask = () => createClient({ url }).getDsoPartyId()

  test('who agreed, of whom, how completely and when', async () => {
    reply(
      200,
      { dso_party_id: party },
      {
        'x-bft-quorum':
          'agreed=3, threshold=2, asked=5, voters=7, operators=2, operator-threshold=2, operator-voters=3, complete=?0, protected=?0',
        'x-bft-agreed': String.raw`"a \"quoted\", name", %"caf%c3%a9 %22one%22", "sv-3"`,
        etag: '"abc"',
        age: '100',
      },
    )
    const before = Date.now()
    const { agreedAt, ...answer } = await ask()
    expect(answer).toEqual({
      kind: 'value',
      value: { dso_party_id: party },
      digest: 'abc',
      agreement: {
        agreed: ['a "quoted", name', 'café "one"', 'sv-3'],
        threshold: 2,
        asked: 5,
        voters: 7,
        operators: { agreed: 2, threshold: 2, voters: 3 },
        complete: false,
        protected: false,
      },
    })
    expect(agreedAt.getTime()).toBeGreaterThanOrEqual(before - 100_000)
    expect(agreedAt.getTime()).toBeLessThanOrEqual(Date.now() - 100_000)
  })

  test.each(Object.entries(spliceErrors))(
    'the error %s, which x-bft-error names, whatever the words are',
    async (code, { status, retryable }) => {
      reply(status, { error: 'In other words.' }, { 'retry-after': '7', 'x-bft-error': code })
      const failed = await ask().then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(failed).toBeInstanceOf(ClientError)
      expect(failed).toMatchObject({ code, status, retryable, message: 'In other words.', retryAfter: 7 })
    },
  )

  const quorum = { 'x-bft-quorum': 'agreed=2, threshold=2, asked=2, voters=4', 'x-bft-agreed': '"a", "b"' }
  test.each([
    ['a page of somebody else', 200, '<html>hello</html>', {}, false],
    ['an answer that nobody is said to have agreed on', 200, { dso_party_id: party }, {}, false],
    ['an answer of another shape', 200, { dso: party }, quorum, false],
    [
      'an answer with a key twice',
      200,
      `{"dso_party_id":"${party}","dso_party_id":"${party}"}`,
      quorum,
      false,
    ],
    ['a quorum that is not told', 200, { dso_party_id: party }, { ...quorum, 'x-bft-quorum': 'yes' }, false],
    ['a gateway that is down', 502, 'Bad Gateway', {}, true],
    ['an error without x-bft-error', 502, { error: spliceErrors.noConsensus.text }, {}, true],
    ['an error with an unknown code', 502, { error: 'No.' }, { 'x-bft-error': 'toString' }, true],
  ])('%s is misunderstood', async (_, status, body, headers, retryable) => {
    reply(status, body, headers)
    await expect(ask()).rejects.toMatchObject({ code: 'misunderstood', status, retryable })
  })

  test('nobody at the address', async () => {
    nock(url).get('/api/scan/v0/dso-party-id').replyWithError('ECONNREFUSED')
    const asked = ask()
    await expect(asked).rejects.toMatchObject({ code: 'unreachable', status: undefined, retryable: true })
    await expect(asked).rejects.toHaveProperty('cause')
  })

  test('a caller who leaves gets the reason of its own signal', async () => {
    const leaving = new AbortController()
    const asked = createClient({ url }).getDsoPartyId({}, { signal: leaving.signal })
    leaving.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
  })
})

describe('the client talks to a daemon', () => {
  let stage: Stage<undefined>
  beforeAll(async () => {
    stage = await startLiveStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  test('the error names the operations address where the client was given that one', async () => {
    const { operations } = stage.daemon
    const client = createClient({ url: operations })
    const calls = [
      client.lookupAnsEntryByName({ name: 'dso.cns' }),
      client.getUpdateHistoryV2({ body: { page_size: 1 } }),
    ]
    for (const call of calls)
      await expect(call).rejects.toMatchObject({
        code: 'misunderstood',
        status: 404,
        retryable: false,
        message: expect.stringContaining(`no read API at ${operations}: `),
      })
  })

  test('an absence that a quorum agrees on is an answer, not an error', async () => {
    const client = createClient({ url: stage.daemon.http })
    expect(await client.lookupAnsEntryByName({ name: 'nobody.cns' })).toMatchObject({
      kind: 'absence',
      status: 404,
      error: 'No ans entry found for name: nobody.cns',
      agreement: { threshold: 2, voters: 4, complete: true, protected: true },
    })
  })
})
