import type { RequestListener } from 'node:http'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type ChangesEvent, ClientError, createClient } from '../../src/client/client.ts'
import { type EventFields, fieldsOfEvents } from '../../src/client/event-stream.ts'
import { onLoopback } from '../support/on-loopback.ts'

const time = '2026-01-01T00:00:00Z'
const entry = {
  recordTime: time,
  name: 'a.unverified.cns',
  user: 'a::1220ab',
  url: '',
  description: 'two\n\nlines',
  contractId: '00a1',
  expiresAt: '2026-04-01T00:00:00Z',
}
const event = (kind: string, data: object | string, id: string | null = time) =>
  `event: ${kind}\n${id === null ? '' : `id: ${id}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const reached = event('reached', { recordTime: time })
const interrupted = event('interrupted', { reason: 'The daemon stops.' }, null)

/** Follows a stream that a server answers in these chunks. Returns the events, and then the error if there is one. */
async function followed(
  chunks: readonly (string | Uint8Array)[],
  options: { readonly idleMs?: number } = {},
): Promise<readonly (ChangesEvent | ClientError)[]> {
  const answer: RequestListener = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(chunk)
    response.end()
  }
  using server = await onLoopback(createServer(answer))
  const heard: (ChangesEvent | ClientError)[] = []
  try {
    for await (const one of createClient({ url: `http://127.0.0.1:${server.port}` }).changes(options))
      heard.push(one)
  } catch (error) {
    if (!(error instanceof ClientError)) throw error
    heard.push(error)
  }
  return heard
}

const theEnd = { kind: 'interrupted', reason: 'The daemon stops.' }

describe('client.changes understands every form of server-sent events', () => {
  const text = event('created', entry) + interrupted
  const heard = [{ kind: 'created', id: time, ...entry }, theEnd]
  test.each([
    ['lines that end with CR and LF', text.replaceAll('\n', '\r\n')],
    ['lines that end with CR', text.replaceAll('\n', '\r')],
    ['no space after the colon', text.replaceAll(': ', ':')],
    ['data in several lines', text.replace('data: {', 'data: {\ndata: ')],
    ['comments and a time to wait', `: hello\nretry: 2000\n\n: more\n\n${text}`],
    ['an event of a later release', `${event('split', { any: 'thing' })}${text}`],
    ['a byte order mark', `\uFEFF${text}`],
  ])('%s', async (_, form) => {
    expect(await followed([form])).toEqual(heard)
  })

  test('in whichever chunks it comes', async () => {
    const bytes = new TextEncoder().encode(
      (event('created', { ...entry, description: 'é😀' }) + interrupted).replaceAll('\n', '\r\n'),
    )
    const chunks = [...bytes].map((byte) => Uint8Array.of(byte))
    const read = async () => {
      const value = chunks.shift()
      return { done: value === undefined, value }
    }
    const fields: EventFields[] = []
    for await (const one of fieldsOfEvents(read)) fields.push(one)
    expect(fields.map((one) => one.get('event'))).toEqual(['created', 'interrupted'])
    expect(JSON.parse(fields[0]?.get('data') ?? '').description).toBe('é😀')
  })
})

describe('client.changes hides no change', () => {
  test.each([
    ['data that is no JSON', event('created', '{"name":')],
    ['no data', event('created', {})],
    ['a name that is no text', event('created', { ...entry, name: 5 })],
    ['no id', event('created', entry, null)],
    ['no time', event('reached', {})],
    ['a renewal of nothing', event('renewed', entry)],
  ])('it rejects an event with %s, and gives none after it', async (_, broken) => {
    const heard = await followed([reached, broken, reached, interrupted])
    expect(heard).toMatchObject([
      { kind: 'reached' },
      { name: 'ClientError', code: 'misunderstood', status: 200, retryable: false },
    ])
    expect((heard[1] as ClientError).message).toMatch(/its event \w+ is malformed$/)
  })

  test('the data of an event changes neither its kind nor its id', async () => {
    const [first] = await followed([
      event('created', { ...entry, kind: 'interrupted', id: 'other' }),
      interrupted,
    ])
    expect(first).toEqual({ kind: 'created', id: time, ...entry })
  })

  test.each([
    ['after an event', [reached]],
    ['within an event', [reached, event('created', entry).slice(0, -30)]],
    ['before any event', []],
  ])('it rejects when the stream ends %s and gives no reason', async (_, chunks) => {
    expect((await followed(chunks)).at(-1)).toMatchObject({ code: 'unreachable', retryable: true })
  })

  test('it ends with the reason, whatever follows', async () => {
    expect(await followed([interrupted, reached])).toEqual([theEnd])
  })

  test.each([
    ['a line', ['x'.repeat(2 ** 20), 'x']],
    ['lines', Array<string>(20).fill(`data: ${'x'.repeat(2 ** 16)}\n`)],
  ])('it rejects %s that does not end, before it fills the memory', async (_, chunks) => {
    expect(await followed([reached, ...chunks])).toMatchObject([
      { kind: 'reached' },
      {
        code: 'misunderstood',
        message: expect.stringMatching(/one event has more than 1048576 characters$/),
      },
    ])
  })

  test.each([2 ** 31, Number.MAX_VALUE])(
    'it waits %d ms, which is longer than a timer can',
    async (idleMs) => {
      expect(await followed([reached, interrupted], { idleMs })).toMatchObject([{ kind: 'reached' }, theEnd])
    },
  )
})
