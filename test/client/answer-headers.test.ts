import { createServer, type OutgoingHttpHeaders } from 'node:http'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.ts'
import { onLoopback } from '../support/on-loopback.ts'

const value = '{"dso_party_id":"DSO::1220ab"}'
const refusal = '{"error":"there is none"}'
const agreed = { 'x-bft-quorum': 'agreed=2, threshold=2, asked=3, voters=4', 'x-bft-agreed': '"a", "b"' }

/** Asks a server that gives this response. Resolves with the answer, or with the error. */
async function heard(headers: OutgoingHttpHeaders, status = 200, body: string | Buffer = value) {
  const server = createServer((_, response) =>
    response.writeHead(status, { ...agreed, ...headers }).end(body),
  )
  using listening = await onLoopback(server)
  const client = createClient({ url: `http://127.0.0.1:${listening.port}` })
  const answer = await client.getDsoPartyId().catch((error: unknown) => error)
  server.closeAllConnections()
  // biome-ignore lint/suspicious/noExplicitAny: tests check the content, whatever its type
  return answer as any
}

const misunderstood = { name: 'ClientError', code: 'misunderstood' }

describe('an answer that names no quorum is misunderstood', () => {
  test.each([
    ['nobody', { 'x-bft-agreed': '' }],
    ['words that are no list', { 'x-bft-agreed': 'hello "a", "b"' }],
    ['one name twice', { 'x-bft-agreed': '"a", "a"' }],
    ['fewer names than it counts', { 'x-bft-agreed': '"a"' }],
    ['more names than it counts', { 'x-bft-agreed': '"a", "b", "c"' }],
    ['tokens instead of names', { 'x-bft-agreed': 'a, b' }],
    ['a name whose bytes are no UTF-8', { 'x-bft-agreed': '%"%ff", "b"' }],
    ['a name with half an escape', { 'x-bft-agreed': '%"%zz", "b"' }],
    ['fewer than the threshold', { 'x-bft-quorum': 'agreed=2, threshold=3, asked=3, voters=4' }],
    [
      'a threshold that nobody needs to reach',
      { 'x-bft-quorum': 'agreed=0, threshold=0, asked=0, voters=0', 'x-bft-agreed': '' },
    ],
    ['each count twice', { 'x-bft-quorum': `${agreed['x-bft-quorum']}, ${agreed['x-bft-quorum']}` }],
    ['a number beyond all', { 'x-bft-quorum': `agreed=2, threshold=2, asked=${'9'.repeat(400)}, voters=4` }],
    ['a fraction', { 'x-bft-quorum': 'agreed=2.0, threshold=2, asked=3, voters=4' }],
    ['a negative number', { 'x-bft-quorum': 'agreed=2, threshold=-2, asked=3, voters=4' }],
  ])('%s', async (_, headers) => {
    expect(await heard(headers)).toMatchObject(misunderstood)
    expect(await heard(headers, 404, refusal)).toMatchObject(misunderstood)
  })

  test('and one that names a quorum is an answer, in whichever words of RFC 9651', async () => {
    const words = {
      'x-bft-quorum': 'voters=4,asked=3;x,threshold=2 ,\tagreed=2, more=(1 2)',
      'x-bft-agreed': '"\\"a\\"";x=1,%"%c3%a9"',
    }
    expect(await heard(words)).toMatchObject({
      kind: 'value',
      agreement: { agreed: ['"a"', 'é'], threshold: 2, asked: 3, voters: 4, complete: true, protected: true },
    })
  })
})

describe('the status tells a value, a refusal and an error apart', () => {
  test.each([400, 404, 409, 410, 422])('%d is a refusal', async (status) => {
    expect(await heard({}, status, refusal)).toMatchObject({
      kind: 'absence',
      status,
      error: 'there is none',
    })
  })

  test.each([201, 203, 206])('%d is no value', async (status) => {
    expect(await heard({}, status)).toMatchObject({ ...misunderstood, status })
  })

  test.each([401, 403, 429, 500, 503])('%d is no refusal, although it names a quorum', async (status) => {
    expect(await heard({}, status, refusal)).toMatchObject({ ...misunderstood, status })
  })

  test('a response with the code of an error is that error', async () => {
    const named = { 'x-bft-error': 'unknownPath' }
    expect(await heard(named, 404, refusal)).toMatchObject({ name: 'ClientError', code: 'unknownPath' })
    expect(await heard(named)).toMatchObject(misunderstood)
  })
})

describe('the times of an answer', () => {
  test.each([
    ['7', 7],
    ['0, 7', 7],
    ['7,0', 7],
    ['9999999999', 9_999_999_999],
  ])('an age of %j was agreed on %d s ago', async (age, seconds) => {
    const { agreedAt } = await heard({ age })
    expect((Date.now() - agreedAt.getTime()) / 1000 - seconds).toBeLessThan(5)
    expect((Date.now() - agreedAt.getTime()) / 1000 - seconds).toBeGreaterThanOrEqual(0)
  })

  test.each(['', 'abc', '-100', '1.5', '0x10', '1e400', '99999999999999', '7, x'])(
    'an age of %j is misunderstood',
    async (age) => {
      expect(await heard({ age })).toMatchObject(misunderstood)
    },
  )
})

test('an answer without an end is given up before it fills the memory', async () => {
  const failed = await heard({}, 200, Buffer.alloc(2 ** 26 + 1, 32))
  expect(failed).toMatchObject({ ...misunderstood, status: 200, retryable: false })
  expect(failed.message).toMatch(/^the answer of http:\S+ has more than 67108864 bytes$/)
})

test('the text of an error cannot control a terminal, and is not longer than 4,096 characters', async () => {
  const named = { 'x-bft-error': 'noConsensus' }
  const text = JSON.stringify({ error: `\u001b[31mred\u0000${'x'.repeat(5_000)}` })
  const { message } = await heard(named, 502, text)
  expect(message).toMatch(/^ \[31mred x+…$/)
  expect(message).toHaveLength(4_097)
})
