import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CantonErrorKind, cantonErrors } from '../../src/base/errors/canton.ts'
import type { EmbeddedLedger } from '../../src/registry/ledger/embedded/embedded-ledger.ts'
import { LedgerUnavailable } from '../../src/registry/ledger/ledger.ts'
import { dsoUserId } from '../../src/registry/names/users.ts'
import { statusWithoutBody } from '../support/speak.ts'
import { withMembers } from '../support/with-members.ts'
import {
  type As,
  anyone,
  eventsOf,
  filtering,
  type LedgerHeard,
  openLedgerDoors,
  updatesOf,
} from './ledger-doors.ts'

const traceparent = '00-5f3b6c0d9a1e4b7c8d2f00112233aabb-93bb0fa23a8fb53a-01'
const tid = '5f3b6c0d9a1e4b7c8d2f00112233aabb'

const updates = 'POST /v2/updates'
const byOffset = 'POST /v2/updates/update-by-offset'
const byId = 'POST /v2/updates/update-by-id'
const byHash = 'POST /v2/updates/update-by-hash'
const page = 'POST /v2/updates/get-updates-page'
const contracts = 'POST /v2/state/active-contracts'

const everything = updatesOf(eventsOf())

async function openAskedDoors() {
  const doors = await openLedgerDoors()
  const { party: alice } = await doors.net.user('alice')
  const end = await doors.net.ledger.end()
  return {
    ...doors,
    alice,
    end,
    asked: (body: object) => ({ beginExclusive: 0, endInclusive: end, ...body }),
    ask: (line: string, body?: unknown, as: As = { as: anyone }) =>
      doors.asks(line, body, { ...as, headers: { traceparent, ...as.headers } }),
  }
}

function expectCanton(heard: LedgerHeard, kind: CantonErrorKind, status: number, told: object = {}) {
  const { code, category, grpcCode, bodyLayout, retryInfo = null } = cantonErrors[kind]
  expect(heard).toMatchObject({ status, type: 'application/json' })
  expect(Object.keys(heard.json)).toEqual(
    `code cause correlationId traceId context resources errorCategory grpcCodeValue retryInfo
  definiteAnswer`.split(/\s+/),
  )
  expect(heard.json).toMatchObject({
    code,
    correlationId: null,
    traceId: tid,
    errorCategory: bodyLayout === 'redacted' ? -1 : category,
    grpcCodeValue: grpcCode,
    retryInfo: bodyLayout === 'redacted' ? null : retryInfo,
    definiteAnswer: bodyLayout === 'json' ? false : null,
    ...told,
  })
  expect(heard.json.context).toMatchObject(
    bodyLayout === 'ledger' ? { category: String(category), definite_answer: 'false', tid } : {},
  )
  expect(heard.json.cause).not.toMatch(/\{\w+\}/)
}

let doors: Awaited<ReturnType<typeof openAskedDoors>>
beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

type Case = readonly [kind: CantonErrorKind, line: string, body: object, told?: object]

async function expectRefusals(status: number, cases: readonly Case[]) {
  for (const [kind, line, body, told] of cases) {
    const heard = await doors.ask(line, body)
    expect(heard.status, `${line} ${JSON.stringify(body)}`).toBe(status)
    expectCanton(heard, kind, status, told)
  }
}

const all = { updateFormat: everything }
const none = { updateFormat: updatesOf({}) }
const field = (name: string) => ({ context: expect.objectContaining({ field_name: name }) })
const template = (templateId: string) => filtering({ TemplateFilter: { value: { templateId } } })
const ofInterface = (interfaceId: string) => filtering({ InterfaceFilter: { value: { interfaceId } } })

test('an offset or a page that there is not is 400 in the form of Canton', async () => {
  const after = doors.end + 1
  await expectRefusals(400, [
    ['negativeOffset', updates, doors.asked({ beginExclusive: -1, ...all })],
    ['negativeOffset', page, { beginOffsetExclusive: -1, ...all }],
    ['nonPositiveOffset', updates, doors.asked({ endInclusive: 0, ...all })],
    ['nonPositiveOffset', byOffset, { offset: 0, ...all }],
    ['nonPositiveOffset', page, { endOffsetInclusive: 0, ...all }],
    ['descendingWithoutEnd', updates, { beginExclusive: 0, descendingOrder: true, ...all }],
    ['offsetAfterLedgerEnd', updates, { beginExclusive: after, ...all }],
    ['offsetAfterLedgerEnd', updates, doors.asked({ endInclusive: after, ...all })],
    ['offsetAfterLedgerEnd', contracts, { activeAtOffset: after, eventFormat: eventsOf() }],
    ['offsetAfterLedgerEnd', page, { endOffsetInclusive: after, ...all }],
    ['offsetOutOfRange', updates, { beginExclusive: 3, endInclusive: 2, ...all }],
    ['pageEndsBeforeBegin', page, { beginOffsetExclusive: 3, endOffsetInclusive: 2, ...all }],
    ['invalidPageSize', page, { maxPageSize: 0, ...all }],
    ['invalidPageSize', page, { maxPageSize: 2001, ...all }],
    ['invalidUpdateId', byId, { updateId: 'xyz', ...all }],
    ['undecodablePageToken', page, { pageToken: 'AAAA', ...all }, field('page_token')],
    [
      'invalidContinuationToken',
      contracts,
      { activeAtOffset: 1, eventFormat: eventsOf(), streamContinuationToken: 'AAAA' },
    ],
  ])
})

test('an update that there is not, or of which nothing is selected, is 404 in the form of Canton', async () => {
  const nobodysId = `1220${'ab'.repeat(32)}`
  const told = (...resource: unknown[]) => ({ resources: [resource] })
  await expectRefusals(404, [
    ['updateNotFound', byOffset, { offset: doors.end + 1, ...all }, told('OFFSET', expect.any(String))],
    ['updateNotFound', byOffset, { offset: doors.end, updateFormat: {} }],
    ['updateNotFound', byId, { updateId: nobodysId, ...all }, told('UPDATE_ID', nobodysId)],
    ['updateNotFound', byHash, { transactionHash: 'q80=', ...all }, told('TRANSACTION_HASH', 'abcd')],
  ])
})

test('a page token of another request is refused, and that of the same is taken', async () => {
  const first = { maxPageSize: 1, ...all }
  const { nextPageToken: pageToken } = (await doors.ask(page, first)).json
  expectCanton(await doors.ask(page, { ...first, maxPageSize: 2, pageToken }), 'invalidPageToken', 400)
  expect(await doors.ask(page, { ...first, pageToken })).toMatchObject({ status: 200 })
})

test('a format that says too little, too much or what cannot be is 400 in the form of Canton', async () => {
  const at = { activeAtOffset: 1 }
  const asking = (updateFormat: object) => doors.asked({ updateFormat })
  const shaped = (shape: object) => asking({ includeTransactions: shape })
  await expectRefusals(400, [
    ['bothForms', updates, doors.asked({ ...all, filter: eventsOf() })],
    ['bothForms', contracts, { ...at, eventFormat: eventsOf(), filter: eventsOf() }],
    ['verboseBesideFormat', updates, doors.asked({ ...all, verbose: true })],
    ['verboseBesideFormat', contracts, { ...at, eventFormat: eventsOf(), verbose: true }],
    ['noForm', updates, doors.asked({})],
    ['noForm', contracts, at],
    ['noFilters', updates, asking(updatesOf({ filtersByParty: {} }))],
    ['invalidParty', updates, asking(updatesOf(eventsOf('a/b')))],
    [
      'invalidTopologyParty',
      updates,
      asking({ includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['a/b'] } } }),
    ],
    [
      'missingField',
      updates,
      shaped({ transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' }),
      field('event_format'),
    ],
    [
      'missingField',
      updates,
      shaped({ eventFormat: eventsOf(), transactionShape: null }),
      field('transaction_shape'),
    ],
    ['missingField', updates, asking(updatesOf(eventsOf(), 'TRANSACTION_SHAPE_UNSPECIFIED'))],
    ['missingField', byOffset, { offset: 1 }, field('update_format')],
    ['missingField', page, {}],
    ['missingField', byId, { updateId: '', ...all }, field('update_id')],
    ['missingField', byHash, all, field('transaction_hash')],
    [
      'packageIdInFilter',
      updates,
      asking(updatesOf(template(`${'ab'.repeat(32)}:Splice.Ans:AnsEntry`))),
      field('packageId'),
    ],
  ])
})

test('a package, template or interface that nobody knows is 404 in the form of Canton', async () => {
  const asking = (format: object) => doors.asked({ updateFormat: updatesOf(format) })
  const cause = expect.stringContaining('[nobodys]')
  const nothing = '#splice-amulet:Splice.Amulet:Nothing'
  await expectRefusals(404, [
    ['unknownPackageNames', updates, asking(template('#nobodys:Splice.Ans:AnsEntry')), { cause }],
    ['unknownPackageNames', contracts, { activeAtOffset: 1, eventFormat: template('#nobodys:A:B') }],
    ['unknownTemplates', updates, asking(template(nothing))],
    ['unknownInterfaces', updates, asking(ofInterface(nothing))],
  ])
})

test('errors come in the order of Canton’s checks, but for the token, which is judged first', async () => {
  const { end, ask } = doors
  const wrong = { beginExclusive: -1, endInclusive: 0, descendingOrder: true }
  const formats = { ...none, filter: eventsOf(), verbose: true }
  const turned = { beginExclusive: 2, endInclusive: 1 }
  const shapeless = (events: object) => ({
    ...turned,
    updateFormat: updatesOf(events, 'TRANSACTION_SHAPE_UNSPECIFIED'),
  })
  const [admin, alice] = [{ as: anyone }, { as: 'alice' }]
  const cases: readonly [CantonErrorKind, object, As][] = [
    ['unauthenticated', { ...wrong, ...formats }, {}],
    ['bothForms', { ...wrong, ...formats }, alice],
    ['verboseBesideFormat', { ...wrong, ...none, verbose: true }, alice],
    ['noForm', wrong, alice],
    ['permissionDenied', { ...wrong, ...all }, alice],
    ['negativeOffset', { ...wrong, ...none }, admin],
    ['descendingWithoutEnd', { beginExclusive: end + 1, descendingOrder: true, ...none }, admin],
    ['nonPositiveOffset', { beginExclusive: end + 1, endInclusive: 0, ...none }, admin],
    ['offsetAfterLedgerEnd', { beginExclusive: end + 1, endInclusive: 1, ...none }, admin],
    ['noFilters', { ...turned, ...none }, admin],
    ['invalidParty', shapeless(eventsOf('/')), admin],
    ['missingField', shapeless(template('a:b:c')), admin],
    ['packageIdInFilter', { ...turned, updateFormat: updatesOf(template('a:b:c')) }, admin],
    ['unknownPackageNames', { ...turned, updateFormat: updatesOf(template('#a:b:c')) }, admin],
    ['offsetOutOfRange', { ...turned, ...all }, admin],
  ]
  for (const [kind, body, as] of cases)
    expectCanton(await ask(updates, body, as), kind, cantonErrors[kind].status)
})

describe('errors in plain text', () => {
  const invalid = [
    ['no JSON at all', 'nonsense', /^Invalid value for: body \(.+\)$/],
    ['no body', '', /^Invalid value for: body \(.+\)$/],
    [
      'beginExclusive is missing',
      '{"endInclusive":1,"updateFormat":{}}',
      /^Invalid value for: body \(Missing required field at 'beginExclusive'\)$/,
    ],
    ['a wrong type', '{"beginExclusive":{},"updateFormat":{}}', /at 'beginExclusive'\)$/],
    ['an integer that is none', '{"beginExclusive":1.5,"updateFormat":{}}', /at 'beginExclusive'\)$/],
    ...['9007199254740993', '9223372036854775807', '"9223372036854775807"'].map(
      (large) =>
        [
          `an integer that would lose digits: ${large}`,
          `{"beginExclusive":${large},"updateFormat":{}}`,
          /\(Too big: expected int to be <=9007199254740991 at 'beginExclusive'\)$/,
        ] as const,
    ),
    [
      'an enum without its value',
      '{"beginExclusive":0,"updateFormat":{"includeTransactions":{"eventFormat":{}}}}',
      /at 'updateFormat.includeTransactions.transactionShape'\)$/,
    ],
    [
      'an enum of another value',
      '{"beginExclusive":0,"updateFormat":{"includeTransactions":{"eventFormat":{},"transactionShape":"ACS_DELTA"}}}',
      /transactionShape'\)$/,
    ],
    [
      'a variant that is none',
      '{"beginExclusive":0,"updateFormat":{"includeReassignments":{"filtersForAnyParty":{"cumulative":[{"identifierFilter":{"Wildcard":{"value":{}}}}]}}}}',
      /cumulative\[0\]\.identifierFilter'\)$/,
    ],
    [
      'a variant without its value',
      '{"beginExclusive":0,"updateFormat":{"includeReassignments":{"filtersForAnyParty":{"cumulative":[{"identifierFilter":{"WildcardFilter":{}}}]}}}}',
      /identifierFilter\.WildcardFilter\.value'\)$/,
    ],
    [
      'an identifier of two parts',
      '{"beginExclusive":0,"updateFormat":{"includeReassignments":{"filtersForAnyParty":{"cumulative":[{"identifierFilter":{"TemplateFilter":{"value":{"templateId":"a:b"}}}}]}}}}',
      /TemplateFilter\.value\.templateId'\)$/,
    ],
  ] as const

  test.each(invalid)('400: %s', async (_says, body, text) => {
    const heard = await doors.ask(updates, body)
    expect(heard).toMatchObject({
      status: 400,
      type: 'text/plain; charset=UTF-8',
      text: expect.stringMatching(text),
    })
  })

  test('400: base64 that is none', async () => {
    const heard = await doors.ask(byHash, { transactionHash: 'a', updateFormat: {} })
    expect(heard).toMatchObject({
      status: 400,
      text: "Invalid value for: body (not base64 at 'transactionHash')",
    })
  })

  test('400: a query parameter that is no integer of 64 bits', async () => {
    const { asked } = doors
    for (const name of ['limit', 'stream_idle_timeout_ms'])
      for (const value of ['some', '9223372036854775808', '-9223372036854775809'])
        expect(
          await doors.ask(`${updates}?${name}=${value}`, asked({ updateFormat: everything })),
        ).toMatchObject({
          status: 400,
          type: 'text/plain; charset=UTF-8',
          text: `Invalid value for: query parameter ${name}`,
        })
  })

  test('400: an empty bearer token', async () => {
    const heard = await doors.ask(updates, {}, { headers: { authorization: 'Bearer ' } })
    expect(heard).toMatchObject({ status: 400, type: 'text/plain; charset=UTF-8' })
  })

  test('405: a known path, another method', async () => {
    for (const line of ['PUT /v2/updates', 'GET /v2/updates/update-by-offset', 'POST /v2/version'])
      expect(await doors.ask(line, line.startsWith('GET') ? undefined : '{}')).toMatchObject({
        status: 405,
        type: 'text/plain; charset=UTF-8',
        text: 'Method Not Allowed',
      })
  })

  test('no 406 goes to a caller that prefers something else and takes JSON', async () => {
    expect(
      await doors.ask('GET /v2/version', undefined, { headers: { accept: 'text/html, */*;q=0.1' } }),
    ).toMatchObject({ status: 200 })
  })

  test('413: a body above the limit, which is named', async () => {
    const heard = await doors.ask(updates, 'x'.repeat(1024 * 1024 + 1))
    expect(heard).toMatchObject({
      status: 413,
      type: 'text/plain; charset=UTF-8',
      text: expect.stringContaining('1048576'),
    })
  })
})

test('404: a path that is none, and a stream by plain GET', async () => {
  for (const line of [
    'GET /v2/updates/flats',
    'GET /v2/updates',
    'POST /v2/nothing?a=b',
    'GET /v2/nothing',
  ]) {
    const [method, path] = line.split(' ')
    expect(await doors.ask(line, method === 'GET' ? undefined : '{}')).toMatchObject({
      status: 404,
      type: 'application/json',
      json: { errors: [`[${method} ${path}]`], status: 404, ledgerApiError: null },
    })
  }
})

describe('401 and 403 are redacted', () => {
  const body = () => doors.asked({ updateFormat: updatesOf(eventsOf(doors.alice)) })

  test.each<[what: string, as: () => Promise<As>]>([
    ['no token', async () => ({})],
    ['another scheme', async () => ({ headers: { authorization: 'Basic YTpi' } })],
    ['a token that nobody signed', async () => ({ token: `${await doors.tokenOf('alice')}x` })],
    ['a token that has expired', async () => ({ token: await doors.tokenOf('alice', {}, -1000) })],
    [
      'a token without the scope, and without the audience',
      async () => ({ token: await doors.tokenOf('alice', { scope: 'openid' }) }),
    ],
  ])('401: %s', async (_, as) => {
    const heard = await doors.ask(updates, body(), await as())
    expectCanton(heard, 'unauthenticated', 401, { code: 'NA', context: {} })
  })

  test('403: a token of a user whom the ledger does not know, before the body is read', async () => {
    for (const sent of [body(), 'no JSON'])
      expectCanton(await doors.ask(updates, sent, { as: 'nobody' }), 'unknownUser', 403, {
        context: { ledger_api_error: 'invalid token' },
      })
  })

  test('403: a token of the automation of the DSO, whose party may read all names', async () => {
    const sent = doors.asked({ updateFormat: updatesOf(eventsOf(doors.net.dso)) })
    expectCanton(await doors.ask(updates, sent, { as: dsoUserId }), 'unknownUser', 403)
  })

  test('403: the rights of the user do not cover a party, or any party', async () => {
    const { alice, asked } = doors
    for (const eventFormat of [eventsOf(doors.net.dso), eventsOf(alice, doors.net.dso), eventsOf()]) {
      const refused = await doors.ask(updates, asked({ updateFormat: updatesOf(eventFormat) }), {
        as: 'alice',
      })
      expectCanton(refused, 'permissionDenied', 403, { context: {} })
      const contractsRefused = await doors.ask(contracts, { activeAtOffset: 1, eventFormat }, { as: 'alice' })
      expectCanton(contractsRefused, 'permissionDenied', 403)
    }
  })

  test('403: a token for another participant', async () => {
    const aud = 'https://daml.com/jwt/aud/participant/another'
    const token = await doors.tokenOf('alice', { aud, scope: '' })
    expectCanton(await doors.ask(updates, body(), { token }), 'permissionDenied', 403)
  })

  test('a token for this participant is taken, and one with the scope in scp', async () => {
    const aud = [`https://daml.com/jwt/aud/participant/${doors.net.ledger.participantId}`]
    for (const claims of [
      { aud, scope: '' },
      { scope: '', scp: ['daml_ledger_api'] },
    ])
      expect(await doors.ask(updates, body(), { token: await doors.tokenOf('alice', claims) })).toMatchObject(
        {
          status: 200,
        },
      )
  })

  test('where an audience is configured it is required and the scope is not', async () => {
    await using strict = await openLedgerDoors({ rules: { audience: 'https://ledger.example' } })
    const end = (token: string) => strict.asks('GET /v2/state/ledger-end', undefined, { token })
    expect(await end(await strict.tokenOf(anyone))).toMatchObject({ status: 401 })
    const token = await strict.tokenOf(anyone, { aud: ['https://ledger.example', 'b'], scope: '' })
    expect(await end(token)).toMatchObject({ status: 200 })
  })
})

const lines = [updates, page, contracts, byOffset, byId, byHash]

test.each(lines)('%s is 401 without a valid token before a byte of its body came', async (line) => {
  const tokens = ['', 'authorization: Bearer a.b.c\r\n', `authorization: Bearer ${'a'.repeat(100_000)}\r\n`]
  for (const token of tokens)
    for (const length of ['content-length: 10000000', 'content-length: 10', 'transfer-encoding: chunked'])
      expect(await statusWithoutBody(doors.url, line, `${token}${length}`)).toBe(401)
})

test.each(lines)('%s is 413 if its length is too large, before the body has arrived', async (line) => {
  const token = await doors.tokenOf(anyone)
  const headers = `authorization: Bearer ${token}\r\ncontent-length: 1048577`
  expect(await statusWithoutBody(doors.url, line, headers)).toBe(413)
})

test('an Authorization header of spaces is judged as fast as any other', async () => {
  for (const authorization of [`Bearer${' '.repeat(80_000)}x`, `Bearer a${' '.repeat(80_000)}x`]) {
    const began = process.cpuUsage()
    expect(await doors.ask(updates, {}, { headers: { authorization } })).toMatchObject({ status: 401 })
    const { user, system } = process.cpuUsage(began)
    expect((user + system) / 1000).toBeLessThan(1_000)
  }
})

test('a body of more values than any request needs is refused before a schema sees it', async () => {
  for (const many of ['0', '{}', '{"identifierFilter":{"a":0,"b":0}}', '1e99', '"a"', '[]']) {
    const cumulative = Array(20_000).fill(many).join()
    const filters = `{"filtersForAnyParty":{"cumulative":[${cumulative}]}}`
    const body = `{"beginExclusive":0,"updateFormat":{"includeTransactions":{"eventFormat":${filters}}}}`
    expect(await doors.ask(updates, body)).toMatchObject({
      status: 400,
      type: 'text/plain; charset=UTF-8',
      text: 'Invalid value for: body (more than 10000 values)',
    })
  }
})

test('the path, the method and accept are judged before the token, and the query and the body after it', async () => {
  const statusOf = async (line: string, headers = {}) =>
    (await doors.ask(line, '{', { headers: { authorization: 'Bearer a.b.c', ...headers } })).status
  expect(await statusOf('POST /v2/nothing')).toBe(404)
  expect(await statusOf('PUT /v2/updates')).toBe(405)
  expect(await statusOf(updates, { accept: 'text/html' })).toBe(406)
  expect(await statusOf(`${updates}?limit=some`)).toBe(401)
  expect(await statusOf(updates)).toBe(401)
})

describe('a ledger that fails', () => {
  const failing = (error: Error) => (real: EmbeddedLedger) =>
    withMembers(real, { updates: () => Promise.reject(error) })
  const asTraced = { as: anyone, headers: { traceparent } }

  test.each([
    ['SERVICE_NOT_RUNNING: it cannot be read', 'notRunning', new LedgerUnavailable('It is closed.')],
    ['NA, 500: it fails for no known reason, of which nothing is told', 'internal', new Error('a secret')],
  ] as const)('%s', async (_, kind, error) => {
    await using broken = await openLedgerDoors({ ledger: failing(error) })
    const range = { beginExclusive: 0, endInclusive: 1, updateFormat: everything }
    const heard = await broken.asks(updates, range, asTraced)
    expectCanton(heard, kind, cantonErrors[kind].status)
    expect(heard.text).not.toContain('secret')
  })

  test('413 JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: it has more active contracts than a list', async () => {
    await using few = await openLedgerDoors({ maxListElements: 1 })
    const asked = { activeAtOffset: await few.net.ledger.end(), eventFormat: eventsOf() }
    expectCanton(await few.asks(contracts, asked, asTraced), 'tooManyElements', 413)
  })

  test('SERVICE_NOT_RUNNING: the keys to check a token with cannot be had', async () => {
    await using keyless = await openLedgerDoors({ jwksUrl: 'http://127.0.0.1:1/keys' })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'RS256', kid: 'a' })}.${part({ sub: 'alice' })}.c2ln`
    const headers = { traceparent }
    const heard = await keyless.asks('GET /v2/state/ledger-end', undefined, { token, headers })
    expectCanton(heard, 'notRunning', 503)
  })
})
