import { subscribe } from 'node:diagnostics_channel'
import { describe, expect, test } from 'vitest'
import { LedgerUnavailable } from '../../../src/ledger/ledger.ts'
import { eventually } from '../../support/eventually.ts'
import type { HttpFault, SocketFault } from '../../support/fake-participant/faults.ts'
import type { ServerWebSocket } from '../../support/websocket-server.ts'
import { all, first, formatOf, isCheckpoint, offsets, range, requested } from '../reads.ts'
import { type Opened, openReads } from './open.ts'

const bounded = (
  { reads, party, signal }: Opened,
  beginExclusive: number,
  endInclusive: number,
  descendingOrder = false,
) =>
  reads.updates(
    { beginExclusive, endInclusive, descendingOrder, updateFormat: requested(formatOf(party)) },
    signal,
  )

const live = ({ reads, party, signal }: Opened, beginExclusive: number) =>
  reads.updates(
    {
      beginExclusive,
      endInclusive: undefined,
      descendingOrder: false,
      updateFormat: requested(formatOf(party)),
    },
    signal,
  )

/** The error that a caller gets if the participant gives no complete answer. */
const unavailable = { kind: 'notRunning', status: 503, cause: expect.any(LedgerUnavailable) }

const unavailableFor = (message: string) => ({ ...unavailable, cause: expect.objectContaining({ message }) })

const relayed = (status: number, error: object) => ({ kind: 'relayed', status, cause: { error } })

/** Makes a fault that rearranges the elements of an answer. */
// biome-ignore lint/suspicious/noExplicitAny: what a participant sends is any JSON
const changing = (change: (elements: any[]) => unknown): HttpFault => ({ kind: 'body', change })

const passing: readonly (readonly [string, HttpFault])[] = [
  ['answers 503', { kind: 'status', status: 503 }],
  ['answers 429', { kind: 'status', status: 429 }],
  ['answers 502 of a proxy, in HTML', { kind: 'status', status: 502, body: '<html>', type: 'text/html' }],
  ['answers garbage', { kind: 'text', text: 'so sorry' }],
  ['answers half a JSON', { kind: 'text', text: '[{"update":{"Trans' }],
  ['dies in the middle of its answer', { kind: 'half' }],
  ['closes the socket', { kind: 'reset' }],
  ['repeats an offset', changing(([a, ...rest]) => [a, a, ...rest])],
  ['goes backwards', changing(([a, b, ...rest]) => [b, a, ...rest])],
  [
    'sends offsets that were not asked for',
    changing((all) => JSON.parse(JSON.stringify(all).replaceAll('"offset":1,', '"offset":9999,'))),
  ],
  ['sends more elements than asked for', changing((all) => Array.from({ length: 300 }, () => all[0]))],
  ['sends an element without an offset', changing(() => [{ update: { Transaction: { value: {} } } }])],
  ['sends no list', changing(() => ({}))],
]

describe('updates with an end, where the participant', () => {
  test.each(passing)('%s once, are read whole all the same', async (_, fault) => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 450)
    fake.fail('/v2/updates', fault)
    expect(offsets(await all(bounded(opened, 0, 450)))).toEqual(range(1, 450))
  })

  test.each(passing)('%s every time from the second page on, end with a clear error', async (_, fault) => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 450)
    const seen: number[] = []
    const read = async () => {
      for await (const batch of await bounded(opened, 0, 450)) {
        seen.push(...offsets(batch))
        // The faults of a body are made for the first page, and may turn the second page into a valid page. A page with
        // the same element twice is always invalid.
        const moved = fault.kind === 'body' ? changing(([a]) => [a, a]) : fault
        if (seen.length === 200) fake.fail('/v2/updates', moved, 99)
      }
    }
    await expect(read()).rejects.toMatchObject(unavailable)
    expect(seen).toEqual(range(1, 200))
    expect(fake.asked('/v2/updates')).toBe(1 + 4)
  })

  test('lists fewer at once than usual, are read whole', async () => {
    await using opened = await openReads({ mostListed: 30 })
    opened.fake.grow(opened.party, 100)
    expect(offsets(await all(bounded(opened, 0, 100)))).toEqual(range(1, 100))
    expect(offsets(await all(bounded(opened, 0, 100, true)))).toEqual(range(1, 100).reverse())
  })

  test('has updates of many bytes, are read in smaller pages', async () => {
    await using opened = await openReads({ maxBytes: 100_000 })
    opened.fake.grow(opened.party, 60, 'x'.repeat(10_000))
    expect(offsets(await all(bounded(opened, 0, 60)))).toEqual(range(1, 60))
  })

  test('has one update that is larger than may be held, end with a clear error', async () => {
    await using opened = await openReads({ maxBytes: 100_000 })
    const { fake, party } = opened
    fake.grow(party, 1)
    fake.grow(party, 1, 'x'.repeat(200_000))
    fake.grow(party, 1)
    await expect(all(bounded(opened, 0, 3))).rejects.toMatchObject(
      unavailableFor('One update is larger than may be held.'),
    )
  })

  test('sends without end, hold no more than their limit', async () => {
    await using opened = await openReads({ maxBytes: 1_000_000 })
    opened.fake.grow(opened.party, 3)
    opened.fake.fail('/v2/updates', { kind: 'huge' }, 99)
    await expect(all(bounded(opened, 0, 3))).rejects.toMatchObject(unavailable)
    await opened.fake.until(() => opened.fake.open === 0)
  })

  test('says nothing at all, end with a clear error when the time is up', async () => {
    await using opened = await openReads()
    const { fake, party, clock } = opened
    fake.grow(party, 3)
    fake.fail('/v2/updates', { kind: 'hang' }, 99)
    const read = all(bounded(opened, 0, 3))
    const rejects = expect(read).rejects.toMatchObject(
      unavailableFor('The participant gave no answer within 25000 ms.'),
    )
    for (let tried = 1; tried <= 4; tried++) {
      await fake.until(() => fake.asked('/v2/updates') === tried)
      clock.advance(25_000)
    }
    await rejects
  })

  test('was pruned meanwhile, end with the error of the participant', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 450)
    const seen: number[] = []
    const read = async () => {
      for await (const batch of await bounded(opened, 0, 450)) {
        seen.push(...offsets(batch))
        fake.pruned = 300
      }
    }
    await expect(read()).rejects.toMatchObject(
      relayed(400, { code: 'PARTICIPANT_PRUNED_DATA_ACCESSED', context: { earliest_offset: '300' } }),
    )
    expect(seen).toEqual(range(1, 200))
  })

  test('is of 3.4 and knows no descending order, end with a clear error', async () => {
    await using opened = await openReads({ version: '3.4' })
    opened.fake.grow(opened.party, 5)
    await expect(all(bounded(opened, 0, 5, true))).rejects.toMatchObject(unavailable)
  })

  test('has no operation of that name, are refused as unsupported', async () => {
    await using opened = await openReads({ version: '3.4' })
    const { reads, party } = opened
    const key = { by: 'hash', transactionHash: Buffer.from('hash') } as const
    await expect(reads.update({ key, updateFormat: requested(formatOf(party)) })).rejects.toMatchObject(
      relayed(501, { code: 'UNSUPPORTED_OPERATION' }),
    )
  })

  test('does not take the token, are refused as the participant refuses', async () => {
    await using opened = await openReads()
    const { fake } = opened
    fake.grow(opened.party, 1)
    fake.forget('token-of-alice')
    const refused = relayed(401, { code: 'NA', grpcCodeValue: 16 })
    await expect(all(bounded(opened, 0, 1))).rejects.toMatchObject(refused)
    await expect(first(1, live(opened, 0))).rejects.toMatchObject(refused)
    expect(fake.asked('/v2/updates')).toBe(1)
    expect(fake.streams).toHaveLength(1)
  })

  test('answers another question than asked, is asked again', async () => {
    await using opened = await openReads()
    const { fake, reads, party } = opened
    fake.grow(party, 3)
    const find = (offset: number) =>
      reads.update({ key: { by: 'offset', offset }, updateFormat: requested(formatOf(party)) })
    fake.fail('/v2/updates/update-by-offset', { kind: 'text', text: (await find(3)).text })
    expect((await find(2)).offset).toBe(2)
  })

  test('says nothing of a caller who asks wrongly, is asked whether the caller may ask at all', async () => {
    await using opened = await openReads()
    await expect(bounded(opened, -1, 5)).rejects.toMatchObject({ kind: 'negativeOffset' })
    opened.fake.forget('token-of-alice')
    await expect(bounded(opened, -1, 5)).rejects.toMatchObject({ kind: 'relayed', status: 401 })
    // A begin of -1 is invalid in every ledger. The driver sends the request all the same, because the participant's
    // answer shows whether the caller may read at all.
    const asked = opened.fake.requests.filter(({ path }) => path.startsWith('/v2/updates'))
    expect(asked.map(({ body }) => body.beginExclusive)).toEqual([-1, -1])
  })
})

const onSocket: readonly (readonly [string, SocketFault['act']])[] = [
  ['dies mid-stream', ({ socket }) => socket.resetAndDestroy()],
  ['dies in the middle of a frame', (ws) => ws.halfText('{"update":{}}')],
  ['closes the socket without a word', ({ socket }) => socket.end()],
  ['closes the stream normally', (ws) => ws.close()],
  ['goes away', (ws) => ws.close(1001)],
  ['sends garbage', (ws) => ws.text('so sorry')],
  ['sends half a JSON', (ws) => ws.text('{"update":{"Transaction":')],
  ['sends a frame that is no text', (ws) => ws.binary(Buffer.from([1, 2, 3]))],
  ['breaks the rules of websockets', ({ socket }) => socket.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))],
  ['repeats an offset', (ws) => ws.text(transactionAt(3))],
  ['goes backwards', (ws) => ws.text(transactionAt(1))],
  ['is overloaded', (ws) => refuse(ws, 'THREADPOOL_OVERLOADED', 2, 10)],
  ['shuts down', (ws) => refuse(ws, 'SERVICE_NOT_RUNNING', 1, 14)],
  ['noticed that the rights have changed', (ws) => refuse(ws, 'STALE_STREAM_AUTHORIZATION', 2, 10)],
]

function streamAt({ fake }: Opened, index: number): ServerWebSocket {
  const stream = fake.streams[index]
  if (stream === undefined) throw new Error(`no stream ${index}`)
  return stream.socket
}

/** Connections for other requests stay open for a while, so the function looks at streams only. */
function areClosed({ fake: { streams } }: Opened): boolean {
  return streams.every(({ socket: { socket } }) => socket.closed)
}

const transactionAt = (offset: number) => JSON.stringify({ update: { Transaction: { value: { offset } } } })

function refuse(ws: ServerWebSocket, code: string, errorCategory: number, grpcCodeValue: number): void {
  ws.text(JSON.stringify({ code, cause: code, context: {}, resources: [], errorCategory, grpcCodeValue }))
  ws.close()
}

describe('updates without an end, where the participant', () => {
  test.each(onSocket)('%s, resume from the last offset', async (_, act) => {
    await using opened = await openReads()
    const { fake, party, broke } = opened
    fake.grow(party, 10)
    fake.failSocket('/v2/updates', { after: 3, act })
    expect(offsets(await first(10, live(opened, 0)))).toEqual(range(1, 10))
    expect(fake.streams.map(({ request }) => request.beginExclusive)).toEqual([0, 3])
    expect(broke).toEqual([false])
  })

  test('dies between any two updates, lose none and repeat none', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 40)
    for (let each = 0; each < 40; each++) {
      fake.failSocket('/v2/updates', { after: each % 3, act: ({ socket }) => socket.resetAndDestroy() })
    }
    const read = first(40, live(opened, 0))
    // The driver gives up at the fourth failure in a row, and at most three failures come in a row here.
    expect(offsets(await read)).toEqual(range(1, 40))
  })

  test('dies and comes back, go on with what was committed meanwhile', async () => {
    await using opened = await openReads()
    const { fake, party, signal } = opened
    fake.grow(party, 2)
    const iterator = (await live(opened, 0))[Symbol.asyncIterator]()
    const seen = offsets((await iterator.next()).value)
    while (seen.length < 2) seen.push(...offsets((await iterator.next()).value))
    await fake.stop()
    fake.grow(party, 3)
    await fake.start()
    while (seen.length < 5) seen.push(...offsets((await iterator.next()).value))
    expect(seen).toEqual(range(1, 5))
    expect(signal.aborted).toBe(false)
  })

  test('stays dead, end with a clear error', async () => {
    await using opened = await openReads()
    const { fake, party, broke } = opened
    fake.grow(party, 2)
    const seen: number[] = []
    const read = async () => {
      for await (const batch of await live(opened, 0)) {
        seen.push(...offsets(batch))
        if (seen.length === 2) await fake.stop()
      }
    }
    await expect(read()).rejects.toMatchObject(unavailable)
    expect(seen).toEqual([1, 2])
    expect(broke).toEqual([false, false, false, true])
  })

  test('resumes behind a checkpoint, have the checkpoint once', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 1)
    // The checkpoint is sent again on the new connection. The driver passed it on before, and must not pass it on
    // twice.
    const resumed = fake
      .until(() => fake.streams.length === 2)
      .then(() => {
        fake.checkpoint()
        fake.grow(party, 1)
      })
    const seen: string[] = []
    for await (const batch of await live(opened, 0)) {
      seen.push(
        ...batch.map((element) => `${isCheckpoint(element) ? 'checkpoint' : 'update'} ${element.offset}`),
      )
      if (seen.length === 1) {
        fake.skip(4)
        fake.checkpoint()
      } else if (seen.length === 2) {
        fake.streams[0]?.socket.socket.resetAndDestroy()
      }
      if (seen.length >= 3) break
    }
    await resumed
    expect(seen).toEqual(['update 1', 'checkpoint 5', 'update 6'])
    expect(fake.streams[1]?.request.beginExclusive).toBe(5)
  })

  test('was reset to an earlier end, end with the error of the participant', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 3)
    fake.failSocket('/v2/updates', { after: 2, act: ({ socket }) => socket.destroy() })
    const act = (ws: ServerWebSocket) => refuse(ws, 'OFFSET_AFTER_LEDGER_END', 12, 11)
    for (let each = 0; each < 4; each++) fake.failSocket('/v2/updates', { after: 0, act })
    await expect(first(3, live(opened, 0))).rejects.toMatchObject(
      relayed(400, { code: 'OFFSET_AFTER_LEDGER_END' }),
    )
  })

  test('forgets the user meanwhile, end with what the participant says to the token', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 2)
    const read = async () => {
      for await (const batch of await live(opened, 0)) {
        if (offsets(batch).includes(2)) {
          fake.forget('token-of-alice')
          fake.streams[0]?.socket.socket.destroy()
        }
      }
    }
    await expect(read()).rejects.toMatchObject({ kind: 'relayed', status: 401 })
  })

  test('refuses the handshake, end with what it says to the same token over HTTP', async () => {
    await using opened = await openReads()
    const { fake } = opened
    fake.failSocket('/v2/updates', 403)
    const error = JSON.stringify({ code: 'NA', cause: 'no', errorCategory: -1, grpcCodeValue: 7 })
    fake.fail('/v2/state/ledger-end', { kind: 'status', status: 403, body: error, type: 'application/json' })
    await expect(live(opened, 0)).rejects.toMatchObject({ kind: 'relayed', status: 403 })
  })

  test('is gone without a word, notice by the lack of an answer to a ping', async () => {
    await using opened = await openReads()
    const { fake, party, clock } = opened
    fake.grow(party, 1)
    const iterator = (await live(opened, 0))[Symbol.asyncIterator]()
    await iterator.next()
    const next = iterator.next()
    const ws = streamAt(opened, 0)
    const answered = new Promise<void>((resolve) => subscribe('undici:websocket:pong', () => resolve()))
    clock.advance(20_000)
    await answered
    // The driver sends a ping every 20 s, and notices a missing answer at the next ping.
    ws.answersPings = false
    clock.advance(20_000)
    await eventually(() => ws.pings === 2)
    expect(fake.streams).toHaveLength(1)
    clock.advance(20_000)
    await fake.until(() => fake.streams.length === 2)
    fake.grow(party, 1)
    expect(offsets((await next).value)).toEqual([2])
  })

  test('sends a frame that is larger than may be held, end with a clear error', async () => {
    await using opened = await openReads({ maxBytes: 100_000 })
    const { fake, party } = opened
    fake.grow(party, 1)
    fake.grow(party, 1, 'x'.repeat(200_000))
    const seen: number[] = []
    const read = async () => {
      for await (const batch of await live(opened, 0)) seen.push(...offsets(batch))
    }
    await expect(read()).rejects.toMatchObject(unavailable)
    expect(seen).toEqual([1])
  })

  test('is faster than its reader, is made to wait', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 1)
    const iterator = (await live(opened, 0))[Symbol.asyncIterator]()
    await iterator.next()
    const { socket } = streamAt(opened, 0)
    const before = socket.bytesWritten
    fake.grow(party, 600, 'x'.repeat(100_000))
    // The bytes that were sent since `before`. Bytes that the driver does not read stay in the participant's buffer
    // (`writableLength`).
    const taken = () => socket.bytesWritten - before - socket.writableLength
    let last = 0
    let unchanged = 0
    await eventually(() => {
      unchanged = taken() === last ? unchanged + 1 : 0
      last = taken()
      return last > 0 && unchanged === 100
    })
    expect(taken()).toBeLessThan(20_000_000)
    const seen: number[] = []
    while (seen.length < 600) seen.push(...offsets((await iterator.next()).value))
    expect(seen).toEqual(range(2, 601))
  })

  test('are opened and never read, end on the participant when the reader leaves', async () => {
    await using opened = await openReads()
    const { fake, party, life } = opened
    fake.grow(party, 1)
    for (let each = 0; each < 50; each++) await live(opened, 0)
    await fake.until(() => fake.streams.length === 50)
    expect(opened.updates.readers).toBe(50)
    life.abort(new Error('the reader left'))
    expect(opened.updates.readers).toBe(0)
    await fake.until(() => areClosed(opened))
    expect(opened.clock.waiting).toBe(0)
  })

  test('are left by their reader, end on the participant too', async () => {
    await using opened = await openReads()
    const { fake, party } = opened
    fake.grow(party, 1)
    for (let each = 0; each < 50; each++) {
      for await (const batch of await live(opened, 0)) if (batch.length > 0) break
    }
    await fake.until(() => areClosed(opened))
    expect(opened.clock.waiting).toBe(0)
  })
})
