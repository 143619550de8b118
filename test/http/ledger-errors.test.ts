import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CantonErrorKind, cantonErrors } from '../../src/errors/canton.ts'
import { type Ledger, LedgerUnavailable } from '../../src/ledger/ledger.ts'
import {
  type As,
  anyone,
  eventsOf,
  filtering,
  type LedgerDoors,
  type LedgerHeard,
  openLedgerDoors,
  updatesOf,
} from './ledger-doors.ts'

let doors: LedgerDoors
let end: number
let alice: string

beforeAll(async () => {
  doors = await openLedgerDoors()
  alice = (await doors.net.user('alice')).party
  end = await doors.net.ledger.end()
})
afterAll(() => doors[Symbol.asyncDispose]())

const everything = updatesOf(eventsOf())
const updates = 'POST /v2/updates'
const byOffset = 'POST /v2/updates/update-by-offset'
const byId = 'POST /v2/updates/update-by-id'
const byHash = 'POST /v2/updates/update-by-hash'
const page = 'POST /v2/updates/get-updates-page'
const contracts = 'POST /v2/state/active-contracts'
const nobodysId = `1220${'ab'.repeat(32)}`
const packageId = 'ab'.repeat(32)
const traceparent = '00-5f3b6c0d9a1e4b7c8d2f00112233aabb-93bb0fa23a8fb53a-01'
const tid = '5f3b6c0d9a1e4b7c8d2f00112233aabb'

const asked = (body: object) => ({ beginExclusive: 0, endInclusive: end, ...body })
const withFilter = (identifierFilter: object) =>
  asked({ updateFormat: updatesOf(filtering(identifierFilter)) })
const template = (templateId: string) => ({ TemplateFilter: { value: { templateId } } })
const ofInterface = (interfaceId: string) => ({ InterfaceFilter: { value: { interfaceId } } })

function expectCanton(heard: LedgerHeard, kind: CantonErrorKind, status: number, told: object = {}) {
  const { code, category, grpcCode, by, retryInfo = null } = cantonErrors[kind]
  expect(heard).toMatchObject({ status, type: 'application/json' })
  expect(Object.keys(heard.json)).toEqual([
    'code',
    'cause',
    'correlationId',
    'traceId',
    'context',
    'resources',
    'errorCategory',
    'grpcCodeValue',
    'retryInfo',
    'definiteAnswer',
  ])
  expect(heard.json).toMatchObject({
    code,
    correlationId: null,
    traceId: tid,
    errorCategory: by === 'redacted' ? -1 : category,
    grpcCodeValue: grpcCode,
    retryInfo: by === 'redacted' ? null : retryInfo,
    definiteAnswer: by === 'json' ? false : null,
    ...told,
  })
  expect(heard.json.context).toMatchObject(
    by === 'ledger' ? { category: String(category), definite_answer: 'false', tid } : {},
  )
  expect(heard.json.cause).not.toMatch(/\{\w+\}/)
}

const ask = (line: string, body?: unknown, as: As = { as: anyone }) =>
  doors.asks(line, body, { ...as, headers: { traceparent, ...as.headers } })

/** A ledger whose updates cannot be read. */
function failing(error: Error) {
  return (real: Ledger): Ledger =>
    new Proxy(real, {
      get: (target, name) => {
        if (name === 'updates') return () => Promise.reject(error)
        const value = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
}

describe('errors in the form of Canton', () => {
  type Case = readonly [
    says: string,
    kind: CantonErrorKind,
    status: number,
    line: string,
    body: () => unknown,
    told?: object,
  ]
  const cases: readonly Case[] = [
    [
      'INVALID_ARGUMENT: updateFormat and filter',
      'bothForms',
      400,
      updates,
      () => asked({ updateFormat: everything, filter: eventsOf() }),
    ],
    [
      'INVALID_ARGUMENT: updateFormat and verbose',
      'verboseBesideFormat',
      400,
      updates,
      () => asked({ updateFormat: everything, verbose: true }),
    ],
    ['INVALID_ARGUMENT: neither updateFormat nor filter', 'noForm', 400, updates, () => asked({})],
    [
      'INVALID_ARGUMENT: eventFormat and filter',
      'bothForms',
      400,
      contracts,
      () => ({ activeAtOffset: 1, eventFormat: eventsOf(), filter: eventsOf() }),
    ],
    [
      'INVALID_ARGUMENT: eventFormat and verbose',
      'verboseBesideFormat',
      400,
      contracts,
      () => ({ activeAtOffset: 1, eventFormat: eventsOf(), verbose: true }),
    ],
    [
      'INVALID_ARGUMENT: neither eventFormat nor filter',
      'noForm',
      400,
      contracts,
      () => ({ activeAtOffset: 1 }),
    ],
    [
      'NEGATIVE_OFFSET: a begin below 0',
      'negativeOffset',
      400,
      updates,
      () => asked({ beginExclusive: -1, updateFormat: everything }),
    ],
    [
      'NEGATIVE_OFFSET: a page that begins below 0',
      'negativeOffset',
      400,
      page,
      () => ({ beginOffsetExclusive: -1, updateFormat: everything }),
    ],
    [
      'NON_POSITIVE_OFFSET: an end of 0',
      'nonPositiveOffset',
      400,
      updates,
      () => asked({ endInclusive: 0, updateFormat: everything }),
    ],
    [
      'NON_POSITIVE_OFFSET: an update at 0',
      'nonPositiveOffset',
      400,
      byOffset,
      () => ({ offset: 0, updateFormat: everything }),
    ],
    [
      'NON_POSITIVE_OFFSET: a page that ends at 0',
      'nonPositiveOffset',
      400,
      page,
      () => ({ endOffsetInclusive: 0, updateFormat: everything }),
    ],
    [
      'DESCENDING_ORDER_MISSING_END',
      'descendingWithoutEnd',
      400,
      updates,
      () => ({ beginExclusive: 0, descendingOrder: true, updateFormat: everything }),
    ],
    [
      'OFFSET_AFTER_LEDGER_END: the begin',
      'offsetAfterLedgerEnd',
      400,
      updates,
      () => ({ beginExclusive: end + 1, updateFormat: everything }),
    ],
    [
      'OFFSET_AFTER_LEDGER_END: the end',
      'offsetAfterLedgerEnd',
      400,
      updates,
      () => asked({ endInclusive: end + 1, updateFormat: everything }),
    ],
    [
      'OFFSET_AFTER_LEDGER_END: active contracts',
      'offsetAfterLedgerEnd',
      400,
      contracts,
      () => ({ activeAtOffset: end + 1, eventFormat: eventsOf() }),
    ],
    [
      'OFFSET_AFTER_LEDGER_END: a page',
      'offsetAfterLedgerEnd',
      400,
      page,
      () => ({ endOffsetInclusive: end + 1, updateFormat: everything }),
    ],
    [
      'OFFSET_OUT_OF_RANGE: an end before the begin',
      'offsetOutOfRange',
      400,
      updates,
      () => ({ beginExclusive: 3, endInclusive: 2, updateFormat: everything }),
    ],
    [
      'INVALID_ARGUMENT: a format of nobody',
      'noFilters',
      400,
      updates,
      () => asked({ updateFormat: updatesOf({ filtersByParty: {} }) }),
    ],
    [
      'INVALID_ARGUMENT: an illegal party',
      'invalidParty',
      400,
      updates,
      () => asked({ updateFormat: updatesOf(eventsOf('a/b')) }),
    ],
    [
      'INVALID_FIELD: an illegal party of topology events',
      'invalidTopologyParty',
      400,
      updates,
      () =>
        asked({
          updateFormat: {
            includeTopologyEvents: { includeParticipantAuthorizationEvents: { parties: ['a/b'] } },
          },
        }),
    ],
    [
      'MISSING_FIELD: event_format',
      'missingField',
      400,
      updates,
      () =>
        asked({ updateFormat: { includeTransactions: { transactionShape: 'TRANSACTION_SHAPE_ACS_DELTA' } } }),
      { context: expect.objectContaining({ field_name: 'event_format' }) },
    ],
    [
      'MISSING_FIELD: transaction_shape is null',
      'missingField',
      400,
      updates,
      () =>
        asked({ updateFormat: { includeTransactions: { eventFormat: eventsOf(), transactionShape: null } } }),
      { context: expect.objectContaining({ field_name: 'transaction_shape' }) },
    ],
    [
      'MISSING_FIELD: transaction_shape is unspecified',
      'missingField',
      400,
      updates,
      () => asked({ updateFormat: updatesOf(eventsOf(), 'TRANSACTION_SHAPE_UNSPECIFIED') }),
    ],
    [
      'MISSING_FIELD: update_format',
      'missingField',
      400,
      byOffset,
      () => ({ offset: 1 }),
      { context: expect.objectContaining({ field_name: 'update_format' }) },
    ],
    ['MISSING_FIELD: update_format of a page', 'missingField', 400, page, () => ({})],
    [
      'MISSING_FIELD: update_id',
      'missingField',
      400,
      byId,
      () => ({ updateId: '', updateFormat: everything }),
      { context: expect.objectContaining({ field_name: 'update_id' }) },
    ],
    [
      'MISSING_FIELD: transaction_hash',
      'missingField',
      400,
      byHash,
      () => ({ updateFormat: everything }),
      { context: expect.objectContaining({ field_name: 'transaction_hash' }) },
    ],
    [
      'INVALID_FIELD: a template by package id',
      'packageIdInFilter',
      400,
      updates,
      () => withFilter(template(`${packageId}:Splice.Ans:AnsEntry`)),
      { context: expect.objectContaining({ field_name: 'packageId' }) },
    ],
    [
      'PACKAGE_NAMES_NOT_FOUND',
      'unknownPackageNames',
      404,
      updates,
      () => withFilter(template('#nobodys:Splice.Ans:AnsEntry')),
      { cause: expect.stringContaining('[nobodys]') },
    ],
    [
      'NO_TEMPLATES_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      'unknownTemplates',
      404,
      updates,
      () => withFilter(template('#splice-amulet:Splice.Amulet:Nothing')),
    ],
    [
      'NO_INTERFACE_FOR_PACKAGE_NAME_AND_QUALIFIED_NAME',
      'unknownInterfaces',
      404,
      updates,
      () => withFilter(ofInterface('#splice-amulet:Splice.Amulet:Nothing')),
    ],
    [
      'PACKAGE_NAMES_NOT_FOUND: active contracts',
      'unknownPackageNames',
      404,
      contracts,
      () => ({ activeAtOffset: 1, eventFormat: filtering(template('#nobodys:A:B')) }),
    ],
    [
      'UPDATE_NOT_FOUND: by offset',
      'updateNotFound',
      404,
      byOffset,
      () => ({ offset: end + 1, updateFormat: everything }),
      { resources: [['OFFSET', expect.any(String)]] },
    ],
    [
      'UPDATE_NOT_FOUND: everything of it is filtered away',
      'updateNotFound',
      404,
      byOffset,
      () => ({ offset: end, updateFormat: {} }),
    ],
    [
      'UPDATE_NOT_FOUND: by id',
      'updateNotFound',
      404,
      byId,
      () => ({ updateId: nobodysId, updateFormat: everything }),
      { resources: [['UPDATE_ID', nobodysId]] },
    ],
    [
      'UPDATE_NOT_FOUND: by hash',
      'updateNotFound',
      404,
      byHash,
      () => ({ transactionHash: 'q80=', updateFormat: everything }),
      { resources: [['TRANSACTION_HASH', 'abcd']] },
    ],
    [
      'INVALID_ARGUMENT: an update id that is no hash',
      'invalidUpdateId',
      400,
      byId,
      () => ({ updateId: 'xyz', updateFormat: everything }),
    ],
    [
      'INVALID_ARGUMENT: a page of nothing',
      'invalidPageSize',
      400,
      page,
      () => ({ maxPageSize: 0, updateFormat: everything }),
    ],
    [
      'INVALID_ARGUMENT: a page of too much',
      'invalidPageSize',
      400,
      page,
      () => ({ maxPageSize: 2001, updateFormat: everything }),
    ],
    [
      'INVALID_ARGUMENT: a page that ends before its begin',
      'pageEndsBeforeBegin',
      400,
      page,
      () => ({ beginOffsetExclusive: 3, endOffsetInclusive: 2, updateFormat: everything }),
    ],
    [
      'INVALID_FIELD: a page token that is none',
      'undecodablePageToken',
      400,
      page,
      () => ({ pageToken: 'AAAA', updateFormat: everything }),
      { context: expect.objectContaining({ field_name: 'page_token' }) },
    ],
    [
      'INVALID_CONTINUATION_TOKEN',
      'invalidContinuationToken',
      400,
      contracts,
      () => ({ activeAtOffset: 1, eventFormat: eventsOf(), streamContinuationToken: 'AAAA' }),
    ],
  ]

  test.each(cases.map((one) => ({ one, says: one[0] })))(
    '$says',
    async ({ one: [, kind, status, line, body, told] }) => {
      expectCanton(await ask(line, body()), kind, status, told)
    },
  )

  test('INVALID_UPDATES_PAGE_TOKEN: a page token of another request', async () => {
    const first = { maxPageSize: 1, updateFormat: everything }
    const { nextPageToken: pageToken } = (await ask(page, first)).json
    expectCanton(await ask(page, { ...first, maxPageSize: 2, pageToken }), 'invalidPageToken', 400)
    expect(await ask(page, { ...first, pageToken })).toMatchObject({ status: 200 })
  })

  test('413 JSON_API_MAXIMUM_LIST_ELEMENTS_NUMBER_REACHED: active contracts too', async () => {
    await using few = await openLedgerDoors({ maxListElements: 1 })
    const activeAtOffset = await few.net.ledger.end()
    const heard = await few.asks(
      contracts,
      { activeAtOffset, eventFormat: eventsOf() },
      { as: anyone, headers: { traceparent } },
    )
    expectCanton(heard, 'tooManyElements', 413)
  })

  test('SERVICE_NOT_RUNNING: the ledger cannot be read', async () => {
    await using broken = await openLedgerDoors({
      ledger: failing(new LedgerUnavailable('The ledger is closed.')),
    })
    const heard = await broken.asks(updates, asked({ endInclusive: 1, updateFormat: everything }), {
      as: anyone,
      headers: { traceparent },
    })
    expectCanton(heard, 'notRunning', 503)
  })

  test('SERVICE_NOT_RUNNING: the keys to check a token with cannot be had', async () => {
    await using keyless = await openLedgerDoors({ jwksUrl: 'http://127.0.0.1:1/keys' })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const token = `${part({ alg: 'RS256', kid: 'a' })}.${part({ sub: 'alice' })}.c2ln`
    const heard = await keyless.asks('GET /v2/state/ledger-end', undefined, {
      token,
      headers: { traceparent },
    })
    expectCanton(heard, 'notRunning', 503)
  })

  test('NA, 500: what fails for no known reason tells nothing of it', async () => {
    await using broken = await openLedgerDoors({ ledger: failing(new Error('a secret')) })
    const heard = await broken.asks(updates, asked({ endInclusive: 1, updateFormat: everything }), {
      as: anyone,
      headers: { traceparent },
    })
    expectCanton(heard, 'internal', 500)
    expect(heard.text).not.toContain('secret')
  })
})

describe('401 and 403 are redacted', () => {
  const body = () => asked({ updateFormat: updatesOf(eventsOf(alice)) })

  test('401: no token', async () => {
    expectCanton(await ask(updates, body(), {}), 'unauthenticated', 401, { code: 'NA', context: {} })
    expectCanton(await ask('GET /v2/state/ledger-end', undefined, {}), 'unauthenticated', 401)
    expectCanton(
      await ask(updates, body(), { headers: { authorization: 'Basic YTpi' } }),
      'unauthenticated',
      401,
    )
  })

  test('401: a token that nobody signed', async () => {
    const token = `${await doors.tokenOf('alice')}x`
    expectCanton(await ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('401: a token that has expired', async () => {
    const token = await doors.tokenOf('alice', {}, -1000)
    expectCanton(await ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('401: a token without the scope, and without the audience', async () => {
    const token = await doors.tokenOf('alice', { scope: 'openid' })
    expectCanton(await ask(updates, body(), { token }), 'unauthenticated', 401)
  })

  test('403: a token of a user whom the ledger does not know, before the body is read', async () => {
    for (const sent of [body(), 'no JSON'])
      expectCanton(await ask(updates, sent, { as: 'nobody' }), 'unknownUser', 403, {
        context: { ledger_api_error: 'invalid token' },
      })
  })

  test('403: the rights of the user do not cover a party, or any party', async () => {
    for (const eventFormat of [eventsOf(doors.net.dso), eventsOf(alice, doors.net.dso), eventsOf()]) {
      const refused = await ask(updates, asked({ updateFormat: updatesOf(eventFormat) }), { as: 'alice' })
      expectCanton(refused, 'permissionDenied', 403, { context: {} })
      const contractsRefused = await ask(contracts, { activeAtOffset: 1, eventFormat }, { as: 'alice' })
      expectCanton(contractsRefused, 'permissionDenied', 403)
    }
  })

  test('403: a token for another participant', async () => {
    const aud = 'https://daml.com/jwt/aud/participant/another'
    const token = await doors.tokenOf('alice', { aud, scope: '' })
    expectCanton(await ask(updates, body(), { token }), 'permissionDenied', 403)
  })

  test('a token for this participant is taken, and one with the scope in scp', async () => {
    const aud = [`https://daml.com/jwt/aud/participant/${doors.net.ledger.participantId}`]
    for (const claims of [
      { aud, scope: '' },
      { scope: '', scp: ['daml_ledger_api'] },
    ])
      expect(await ask(updates, body(), { token: await doors.tokenOf('alice', claims) })).toMatchObject({
        status: 200,
      })
  })

  test('where an audience is configured it is required and the scope is not', async () => {
    await using strict = await openLedgerDoors({ rules: { audience: 'https://ledger.example' } })
    const end = (token: string) => strict.asks('GET /v2/state/ledger-end', undefined, { token })
    expect(await end(await strict.tokenOf(anyone))).toMatchObject({ status: 401 })
    const token = await strict.tokenOf(anyone, { aud: ['https://ledger.example', 'b'], scope: '' })
    expect(await end(token)).toMatchObject({ status: 200 })
    expect(strict.refused).toEqual(['is for another audience'])
  })
})

test('errors come in the order of Canton’s checks', async () => {
  const allWrong = { beginExclusive: -1, endInclusive: 0, descendingOrder: true }
  const formats = { updateFormat: updatesOf({}), filter: eventsOf(), verbose: true }
  const cases: readonly [CantonErrorKind, object, As][] = [
    ['bothForms', { ...allWrong, ...formats }, {}],
    ['verboseBesideFormat', { ...allWrong, updateFormat: updatesOf({}), verbose: true }, {}],
    ['noForm', allWrong, {}],
    ['unauthenticated', { ...allWrong, updateFormat: everything }, {}],
    ['permissionDenied', { ...allWrong, updateFormat: everything }, { as: 'alice' }],
    ['negativeOffset', { ...allWrong, updateFormat: updatesOf({}) }, { as: anyone }],
    [
      'descendingWithoutEnd',
      { beginExclusive: end + 1, descendingOrder: true, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    [
      'nonPositiveOffset',
      { beginExclusive: end + 1, endInclusive: 0, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    [
      'offsetAfterLedgerEnd',
      { beginExclusive: end + 1, endInclusive: 1, updateFormat: updatesOf({}) },
      { as: anyone },
    ],
    ['noFilters', { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf({}) }, { as: anyone }],
    [
      'invalidParty',
      {
        beginExclusive: 2,
        endInclusive: 1,
        updateFormat: updatesOf(eventsOf('/'), 'TRANSACTION_SHAPE_UNSPECIFIED'),
      },
      { as: anyone },
    ],
    [
      'missingField',
      {
        beginExclusive: 2,
        endInclusive: 1,
        updateFormat: updatesOf(filtering(template('a:b:c')), 'TRANSACTION_SHAPE_UNSPECIFIED'),
      },
      { as: anyone },
    ],
    [
      'packageIdInFilter',
      { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf(filtering(template('a:b:c'))) },
      { as: anyone },
    ],
    [
      'unknownPackageNames',
      { beginExclusive: 2, endInclusive: 1, updateFormat: updatesOf(filtering(template('#a:b:c'))) },
      { as: anyone },
    ],
    ['offsetOutOfRange', { beginExclusive: 2, endInclusive: 1, updateFormat: everything }, { as: anyone }],
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
    const heard = await ask(updates, body)
    expect(heard).toMatchObject({
      status: 400,
      type: 'text/plain; charset=UTF-8',
      text: expect.stringMatching(text),
    })
  })

  test('400: base64 that is none', async () => {
    const heard = await ask(byHash, { transactionHash: 'a', updateFormat: {} })
    expect(heard).toMatchObject({
      status: 400,
      text: "Invalid value for: body (not base64 at 'transactionHash')",
    })
  })

  test('400: a query parameter that is no integer', async () => {
    for (const name of ['limit', 'stream_idle_timeout_ms'])
      expect(await ask(`${updates}?${name}=some`, asked({ updateFormat: everything }))).toMatchObject({
        status: 400,
        type: 'text/plain; charset=UTF-8',
        text: `Invalid value for: query parameter ${name}`,
      })
  })

  test('400: an empty bearer token', async () => {
    const heard = await ask(updates, {}, { headers: { authorization: 'Bearer ' } })
    expect(heard).toMatchObject({ status: 400, type: 'text/plain; charset=UTF-8' })
  })

  test('405: a known path, another method', async () => {
    for (const line of ['PUT /v2/updates', 'GET /v2/updates/update-by-offset', 'POST /v2/version'])
      expect(await ask(line, line.startsWith('GET') ? undefined : '{}')).toMatchObject({
        status: 405,
        type: 'text/plain; charset=UTF-8',
        text: 'Method Not Allowed',
      })
  })

  test('406: nothing but JSON can be had', async () => {
    expect(await ask('GET /v2/version', undefined, { headers: { accept: 'text/html' } })).toMatchObject({
      status: 406,
    })
    expect(
      await ask('GET /v2/version', undefined, { headers: { accept: 'text/html, */*;q=0.1' } }),
    ).toMatchObject({ status: 200 })
  })

  test('413: a body above the limit, which is named', async () => {
    const heard = await ask(updates, 'x'.repeat(10 * 1024 * 1024 + 1))
    expect(heard).toMatchObject({
      status: 413,
      type: 'text/plain; charset=UTF-8',
      text: expect.stringContaining('10485760'),
    })
  })
})

test('404: a path that is none, the removed ones and a stream by plain GET among them', async () => {
  for (const line of [
    'POST /v2/updates/flats',
    'POST /v2/updates/trees?a=b',
    'GET /v2/updates',
    'GET /v2/nothing',
  ]) {
    const [method, path] = line.split(' ')
    expect(await ask(line, method === 'GET' ? undefined : '{}')).toMatchObject({
      status: 404,
      type: 'application/json',
      json: { errors: [`[${method} ${path}]`], status: 404, ledgerApiError: null },
    })
  }
})
