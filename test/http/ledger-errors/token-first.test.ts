import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
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

/** The status of the answer to a head whose body never comes. */
async function statusWithoutBody(line: string, headers: string): Promise<number> {
  const { hostname, port } = new URL(doors.url)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${headers}\r\n`)
  const [answer] = await once(socket, 'data')
  socket.destroy()
  return Number(String(answer).split(' ')[1])
}

test.each(lines)('%s is 401 without a valid token before a byte of its body came', async (line) => {
  const tokens = ['', 'authorization: Bearer a.b.c\r\n', `authorization: Bearer ${'a'.repeat(100_000)}\r\n`]
  for (const token of tokens)
    for (const length of ['content-length: 10000000', 'content-length: 10', 'transfer-encoding: chunked'])
      expect(await statusWithoutBody(line, `${token}${length}\r\n`)).toBe(401)
})

test.each(lines)('%s is 413 where its length is too large, before a byte of its body came', async (line) => {
  const token = await doors.tokenOf(anyone)
  const headers = `authorization: Bearer ${token}\r\ncontent-length: 1048577\r\n`
  expect(await statusWithoutBody(line, headers)).toBe(413)
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
