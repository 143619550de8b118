import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AskedDoors, byHash, everything, openAskedDoors, updates } from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

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

  test('406: nothing but JSON can be had', async () => {
    expect(await doors.ask('GET /v2/version', undefined, { headers: { accept: 'text/html' } })).toMatchObject(
      {
        status: 406,
      },
    )
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
