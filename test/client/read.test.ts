import { createServer } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest'
import type { Answered } from '../../src/client/answered.ts'
import {
  type Arguments,
  type Client,
  ClientError,
  createClient,
  isReadId,
  type ReadId,
  readIds,
  SpliceError,
  type Value,
} from '../../src/client/client.ts'
import { readIds as idsOfTable } from '../../src/core/reads/endpoints.ts'
import { onLoopback } from '../support/on-loopback.ts'

const quorum = {
  'x-bft-quorum': 'agreed=2, threshold=2, asked=2, voters=4',
  'x-bft-agreed': '"sv-1", "sv-2"',
}

let client: Client
const asked: string[] = []
const server = createServer(({ method, url }, response) => {
  asked.push(`${method} ${url}`)
  response.writeHead(200, quorum).end('{"dso_party_id":"DSO::1220ab","beside":1}')
})
beforeAll(async () => {
  const { port } = await onLoopback(server)
  client = createClient({ url: `http://127.0.0.1:${port}` })
})
beforeEach(() => {
  asked.length = 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

/** Calls `read` with any arguments, past its types: a program that gets the id at run time may pass anything. */
function read(id: unknown, params?: unknown): Promise<unknown> {
  return (client.read as (id: unknown, params?: unknown) => Promise<unknown>)(id, params)
}

describe('a read that is chosen at run time', () => {
  test('gets the same answer as by its method', async () => {
    const byId = await client.read('getDsoPartyId')
    const byMethod = await client.getDsoPartyId()
    expect({ ...byId, agreedAt: 0 }).toEqual({ ...byMethod, agreedAt: 0 })
    expect(byId.value).toEqual({ dso_party_id: 'DSO::1220ab' })
    expect(asked).toEqual(['GET /api/scan/v0/dso-party-id', 'GET /api/scan/v0/dso-party-id'])
  })

  test('can be aborted', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    await expect(client.read('getDsoPartyId', {}, { signal })).rejects.toThrow('enough')
  })

  test('is one of those that the client lists', () => {
    expect(readIds).toEqual(idsOfTable)
    expect(isReadId('getDsoInfo')).toBe(true)
    for (const other of ['getDso', 'toString', '__proto__', 'read', '']) expect(isReadId(other)).toBe(false)
  })
})

describe('a bad question rejects with a ClientError before any request', () => {
  const body = 'The request content was malformed:\n'
  test.each<[string, unknown, unknown, string, unknown]>([
    ['unknown', 'lookupName', {}, 'unknownRead', 'There is no read lookupName; readIds lists all reads.'],
    [
      'other',
      'listAnsEntries',
      { page_size: 3, prefix: 'a' },
      'unknownParameter',
      'listAnsEntries takes no prefix; it takes name_prefix, page_size.',
    ],
    [
      'null',
      'getDsoInfo',
      null,
      'unknownParameter',
      'The parameters of getDsoInfo must be an object; they are null.',
    ],
    ['no name', 'lookupAnsEntryByName', undefined, 'missingParameter', 'lookupAnsEntryByName needs name.'],
    ['an empty name', 'lookupAnsEntryByName', { name: '' }, 'emptyText', 'The name must not be empty.'],
    [
      'a way up',
      'lookupAnsEntryByName',
      { name: '..' },
      'malformedText',
      'The name is not valid text: URLs resolve `.` and `..` as relative paths.',
    ],
    [
      'a page token',
      'listValidatorLicenses',
      { after: 7 },
      'notAgreeable',
      expect.stringMatching(/Ask for as many as 1000 at once\.$/),
    ],
    ['no body', 'getUpdateHistoryV2', {}, 'missingParameter', 'getUpdateHistoryV2 needs body.'],
    [
      'a text',
      'getUpdateHistoryV2',
      { body: { page_size: '10' } },
      'malformedBody',
      `${body}page_size must be an integer`,
    ],
    [
      'a member',
      'getUpdateHistoryV2',
      { body: { page_size: 1, size: 1 } },
      'malformedBody',
      `${body}size is not known; known are after, page_size, daml_value_encoding`,
    ],
    [
      'no JSON',
      'getTransferFactory',
      { body: { choiceArguments: { amount: 1n } } },
      'malformedBody',
      `${body}the body cannot be written as JSON`,
    ],
  ])('%s: %s %o', async (_, id, params, code, message) => {
    const failed = await read(id, params).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ClientError)
    expect(failed).toMatchObject({ code, message, status: undefined, retryable: false })
    expect(asked).toEqual([])
  })

  test('by its method as by its name, and with the cause, which has the values of the text', async () => {
    const failed = await client.listAnsEntries({ page_size: 0 }).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(ClientError)
    expect(failed).toMatchObject({ code: 'limitTooSmall', cause: expect.any(SpliceError) })
    expect(asked).toEqual([])
  })
})

test('parameters and answers of a read are typed by its name', () => {
  const wrapped = <Id extends ReadId>(
    id: Id,
    params: Arguments<Id>,
    signal: AbortSignal,
  ): Promise<Answered<Value<Id>>> => client.read(id, params, { signal })
  const calls = (id: ReadId, dynamic: string, params: Record<string, unknown>) => ({
    known: client.read('lookupAnsEntryByName', { name: 'a' }),
    withoutAny: client.read('getDsoPartyId'),
    any: client.read(id, params),
    checked: isReadId(dynamic)
      ? [client.read(dynamic), client.read(dynamic, {}), client.read(dynamic, { of: 1 }, {})]
      : [],
    abortable: client.read('getDsoPartyId', undefined, { signal: AbortSignal.any([]) }),
    wrapped: wrapped('lookupAnsEntryByName', { name: 'a' }, AbortSignal.any([])),
    mistaken: [
      client.read(
        // @ts-expect-error there is no such read
        'lookupName',
        { name: 'a' },
      ),
      client.read('lookupAnsEntryByName', {
        // @ts-expect-error the read takes another parameter
        nam: 'a',
      }),
      // @ts-expect-error a required parameter is required
      client.read('lookupAnsEntryByName'),
    ],
  })
  type Calls = ReturnType<typeof calls>
  expectTypeOf<Awaited<Calls['known']>>().toEqualTypeOf<Answered<Value<'lookupAnsEntryByName'>>>()
  expectTypeOf<Awaited<Calls['withoutAny']>>().toEqualTypeOf<Answered<{ dso_party_id: string }>>()
  expectTypeOf<Awaited<Calls['wrapped']>>().toEqualTypeOf<Answered<Value<'lookupAnsEntryByName'>>>()
  expectTypeOf<Awaited<Calls['any']>>().toEqualTypeOf<Answered<Value<ReadId>>>()
  expectTypeOf<Value<'getDsoPartyId'>>().toExtend<Value<ReadId>>()
})
