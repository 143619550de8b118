import nock from 'nock'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { spliceErrors } from '../../src/base/errors/splice.ts'
import { type CallOptions, ClientError, createClient } from '../../src/client/client.ts'
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

  test.each<readonly [string, CallOptions, Readonly<Record<string, string>>]>([
    ['for a live read', { live: true }, { 'x-bft-live': '?1' }],
    ['for a time', { notBefore: new Date(1_700_000_000_000) }, { 'x-bft-not-before': '@1700000000' }],
    [
      'for a time between seconds, rounded up',
      { notBefore: new Date(1_700_000_000_001) },
      { 'x-bft-not-before': '@1700000001' },
    ],
    ['for a time before 1970', { notBefore: new Date(-1) }, { 'x-bft-not-before': '@0' }],
    [
      'for a time in the future',
      { notBefore: new Date(9_999_999_999_000), live: true },
      { 'x-bft-not-before': '@9999999999' },
    ],
    ['for both', { notBefore: new Date(0), live: true }, { 'x-bft-live': '?1' }],
    ['for neither', { live: false }, {}],
  ])('is a header %s', async (_, options, expected) => {
    const badheaders = ['x-bft-live', 'x-bft-not-before'].filter((name) => !(name in expected))
    const asked = nock(url, { reqheaders: expected, badheaders })
      .get('/api/scan/v0/dso-party-id')
      .reply(200, { dso_party_id: 'DSO::1220ab' }, said)
    await createClient({ url }).getDsoPartyId({}, options)
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

  const agreed = { 'x-bft-quorum': 'agreed=1, threshold=1, asked=1, voters=4', 'x-bft-agreed': '"sv-1"' }

  test('when a mirrored answer was true, and what is claimed of it', async () => {
    const headers = { ...agreed, 'x-bft-as-of': '@1795316400;claim=binding;basis=snapshot;generation=812' }
    reply(200, { dso_party_id: party }, headers)
    expect(await ask()).toMatchObject({
      kind: 'value',
      asOf: { at: new Date(1_795_316_400_000), claim: 'binding', basis: 'snapshot', generation: 812 },
    })
  })

  test.each([
    '',
    '1795316400;claim=binding;basis=snapshot;generation=812',
    '@1795316400',
    '@1795316400;claim=certainty;basis=snapshot;generation=812',
    '@1795316400;claim=binding;basis=hearsay;generation=812',
    '@1795316400;claim=binding;basis=snapshot;generation=many',
    '@999999999999999;claim=binding;basis=snapshot;generation=812',
  ])('that an answer with x-bft-as-of: %s is a plain one', async (header) => {
    reply(200, { dso_party_id: party }, { ...agreed, 'x-bft-as-of': header })
    const answer = await ask()
    expect(answer.value).toEqual({ dso_party_id: party })
    expect(answer).not.toHaveProperty('asOf')
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

  test('a live read is as old as its request, and a time in the future is behind', async () => {
    const client = createClient({ url: stage.daemon.http })
    await client.lookupAnsEntryByName({ name: 'dso.cns' })
    const asks = stage.asks('by-name')
    const asked = Date.now()
    const answer = await client.lookupAnsEntryByName({ name: 'dso.cns' }, { live: true })
    expect(stage.asks('by-name')).toBeGreaterThan(asks)
    expect(answer.agreedAt.getTime()).toBeGreaterThanOrEqual(asked)
    const soon = new Date(Date.now() + 60_000)
    const ahead = client.lookupAnsEntryByName({ name: 'dso.cns' }, { notBefore: soon })
    await expect(ahead).rejects.toMatchObject({ code: 'behind', status: 502, retryable: true })
  })
})
