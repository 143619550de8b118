import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changesOf } from '../../src/client/changes.ts'
import { type ChangesEvent, createClient } from '../../src/client/client.ts'
import { ChangeFeed } from '../../src/mirror/change-feed.ts'
import { ChangeStreams } from '../../src/mirror/change-streams.ts'
import { type Doors, openDoors } from '../http/doors.ts'
import { added, changeAt, timeOf } from '../mirror/changes.ts'
import { entryOf, setOf } from '../mirror/mirrored.ts'
import { type Stage, startStage } from '../support/daemon.ts'
import { eventually } from '../support/eventually.ts'
import { ManualClock } from '../support/manual-clock.ts'

const ä = entryOf('ä.unverified.cns', { description: 'two\n\nlines' })
const bob = entryOf('bob.unverified.cns')

let stage: Stage
let doors: Doors
let feed: ChangeFeed
let streams: ChangeStreams

beforeAll(async () => {
  stage = await startStage()
  feed = new ChangeFeed()
  streams = new ChangeStreams({ clock: stage.clock, feed, paused: () => undefined })
  doors = await openDoors(stage, { changes: streams })
  feed.take(setOf([]))
  feed.follow([added(1, ä, bob), changeAt(2, { expired: [bob] })], timeOf(2))
})

afterAll(async () => {
  streams[Symbol.dispose]()
  await doors[Symbol.asyncDispose]()
  await stage[Symbol.asyncDispose]()
})

const clientOf = () => createClient({ url: doors.url })

function failure(options: object): Promise<unknown> {
  const following = clientOf().changes(options)[Symbol.asyncIterator]()
  return following.next().catch((error: unknown) => error)
}

describe('client.changes', () => {
  test('gives the changes after a time with all their values, and then those that follow', async () => {
    const heard: ChangesEvent[] = []
    for await (const event of clientOf().changes({ after: timeOf(0) })) {
      heard.push(event)
      if (heard.length === 3) feed.follow([], timeOf(3))
      if (heard.length === 3) feed.follow([added(4, bob)], timeOf(4))
      if (heard.length === 4) break
    }
    expect(heard.map((event) => [event.kind, 'id' in event && event.id])).toEqual([
      ['created', `${timeOf(1)}/1`],
      ['created', timeOf(1)],
      ['expired', timeOf(2)],
      ['created', timeOf(4)],
    ])
    expect(heard[0]).toEqual({
      kind: 'created',
      id: `${timeOf(1)}/1`,
      recordTime: timeOf(1),
      name: 'ä.unverified.cns',
      user: ä.user,
      url: ä.url,
      description: 'two\n\nlines',
      contractId: ä.contract_id,
      expiresAt: ä.expires_at,
    })
    await eventually(() => streams.listeners === 0)
  })

  test('goes on from the id of any event', async () => {
    for await (const event of clientOf().changes({ after: `${timeOf(1)}/1` })) {
      expect(event).toMatchObject({ kind: 'created', id: timeOf(1), name: bob.name })
      break
    }
  })

  test('ends with the reason that the daemon gives', async () => {
    const heard: ChangesEvent[] = []
    for await (const event of clientOf().changes()) {
      heard.push(event)
      feed.interrupt('The updates cannot be followed.')
    }
    expect(heard).toEqual([
      { kind: 'reached', id: timeOf(4), recordTime: timeOf(4) },
      { kind: 'interrupted', reason: 'The updates cannot be followed.' },
    ])
  })

  test('rejects with the reason of the signal, and closes the connection', async () => {
    const leaving = new AbortController()
    const heard: string[] = []
    const following = (async () => {
      for await (const { kind } of clientOf().changes({ signal: leaving.signal })) {
        heard.push(kind)
        leaving.abort(new Error('enough'))
      }
    })()
    await expect(following).rejects.toThrow('enough')
    expect(heard).toEqual(['reached'])
    await eventually(() => streams.listeners === 0)
  })

  test("rejects with the daemon's error, or with the mistake", async () => {
    expect(await failure({ after: '2025-01-01T00:00:00Z' })).toMatchObject({
      name: 'ClientError',
      code: 'changesNotKept',
      status: 410,
      retryable: false,
    })
    expect(await failure({ after: 'yesterday' })).toMatchObject({ code: 'malformedQueryParameter' })
    expect(await failure({ after: 7 })).toMatchObject({ code: 'badOption' })
    expect(await failure({ since: timeOf(1) })).toMatchObject({
      message: 'A stream of changes takes no option since; it takes after, signal, idleMs.',
    })
    const nobody = createClient({ url: 'http://127.0.0.1:1' }).changes()[Symbol.asyncIterator]()
    await expect(nobody.next()).rejects.toMatchObject({ code: 'unreachable' })
  })

  test('rejects when the daemon falls silent, with an id to go on from', async () => {
    await using silent = await listening((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(
        'event: reached\nid: 2026-01-01T00:00:00Z\ndata: {"recordTime":"2026-01-01T00:00:00Z"}\n\n',
      )
    })
    const clock = new ManualClock()
    const events = changesOf({ base: silent.url, token: undefined, clock }, {})
    const { value } = await events.next()
    expect(value).toMatchObject({ kind: 'reached', id: '2026-01-01T00:00:00Z' })
    const next = events.next().catch((error: unknown) => error)
    await eventually(() => clock.waiting === 1)
    clock.advance(29_999)
    expect(clock.waiting).toBe(1)
    clock.advance(1)
    expect(await next).toMatchObject({
      name: 'ClientError',
      code: 'unreachable',
      retryable: true,
      message: `${silent.url} sent nothing for 30000 ms: the connection is lost`,
    })
    expect(clock.waiting).toBe(0)
  })

  test('rejects when the daemon accepts the connection and never answers', async () => {
    await using hanging = await listening(() => {})
    const clock = new ManualClock()
    const next = changesOf({ base: hanging.url, token: undefined, clock }, { idleMs: 500 }).next()
    const rejected = expect(next).rejects.toMatchObject({ code: 'unreachable' })
    await eventually(() => clock.waiting === 1)
    clock.advance(500)
    await rejected
  })

  test('a parameter that the feed does not know, and a time in the future, are refused', async () => {
    const { ask } = doors
    const unknown = await ask('/mirror/changes?since=2026-01-01T00:00:00Z')
    expect([unknown.status, unknown.headers['x-bft-error']]).toEqual([400, 'malformedQueryParameter'])
    expect(unknown.text).toContain('the feed of changes takes after')
    const after = `${new Date(Date.parse(timeOf(4)) + 86_400_001 + 1000).toISOString()}`
    const future = await ask(`/mirror/changes?after=${after}`)
    expect([future.status, future.headers['x-bft-error']]).toEqual([400, 'malformedQueryParameter'])
    expect(future.text).toContain('it is more than a day after')
    const header = await ask('/mirror/changes', { headers: { 'last-event-id': after } })
    expect([header.status, header.headers['x-bft-error']]).toEqual([400, 'malformedHeader'])
  })
})

async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
