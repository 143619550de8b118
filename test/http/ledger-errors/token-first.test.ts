import { afterAll, beforeAll, expect, test } from 'vitest'
import { statusWithoutBody } from '../../support/speak.ts'
import { anyone } from '../ledger-doors.ts'
import {
  type AskedDoors,
  byHash,
  byId,
  byOffset,
  contracts,
  openAskedDoors,
  page,
  updates,
} from './asked-doors.ts'

let doors: AskedDoors

beforeAll(async () => {
  doors = await openAskedDoors()
})
afterAll(() => doors[Symbol.asyncDispose]())

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
