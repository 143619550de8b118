import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { waitingPerSlot } from '../../../src/core/scan/in-flight-budget.ts'
import type { ScanResponse } from '../../../src/core/scan/node.ts'
import { eventually } from '../../support/eventually.ts'
import { chunk, chunkedHead, flooding, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, large, mebibyte, ofFault, watching } from './met.ts'

everyScanNode((meet) => {
  describe('the budget', () => {
    test('holds a whole limit while asking, the actual length afterwards, nothing after release', async () => {
      let reply = () => {}
      const { ask, server, budget } = await meet((socket) => {
        reply = () => socket.write(response('{"a":1}'))
      })
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      expect(budget).toMatchObject({ inFlight: 1, reservedBytes: 65_536 })
      reply()
      const answer = await asked
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 7 })
      if (answer.kind === 'response') answer.release()
      expect(budget.reservedBytes).toBe(0)
      if (answer.kind === 'response') answer.release()
      expect(budget.reservedBytes).toBe(0)
    })

    test('admits asks in order as others end', async () => {
      const { ask, server, budget } = await meet(saying(response('{}')))
      budget.resize({ slots: 1, bytes: mebibyte })
      await Promise.all(['/a', '/b', '/c'].map((path) => ask({ path })))
      expect(server.requests.map(({ head }) => head.slice(4, 6))).toEqual(['/a', '/b', '/c'])
      expect(server.accepted).toBe(1)
    })

    test('turns asks away that waited for their time-out, or that find the line full', async () => {
      const { ask, server, clock, budget } = await meet(() => {})
      budget.resize({ slots: 1, bytes: mebibyte })
      const first = ask({ timeoutMs: 9000 })
      await server.until(() => server.requests.length === 1)
      const waiting = Array.from({ length: waitingPerSlot }, () => ask())
      expect(await ask()).toEqual(ofFault('busy'))
      clock.advance(5000)
      expect(await Promise.all(waiting)).toEqual(waiting.map(() => ofFault('busy')))
      expect(server.requests).toHaveLength(1)
      clock.advance(4000)
      expect(await first).toEqual(ofFault('timeout'))
    })

    test('a waiting ask leaves the line when its signal aborts', async () => {
      const { ask, server, budget, clock } = await meet(() => {})
      budget.resize({ slots: 1, bytes: mebibyte })
      const first = ask()
      const controller = new AbortController()
      const second = ask({}, controller.signal)
      expect(budget.waiting).toBe(1)
      controller.abort(new Error('the caller left'))
      await expect(second).rejects.toThrow('the caller left')
      expect(budget).toMatchObject({ waiting: 0, inFlight: 1 })
      await server.until(() => server.requests.length === 1)
      clock.advance(5000)
      await first
    })

    test('takes a little room of an ask for a large body until the body arrives', async () => {
      const { ask, server, clock, budget } = await meet(() => {})
      const asks = [ask(large), ask(large), ask({ maxBytes: 1000 })]
      await server.until(() => server.requests.length === 3)
      expect(budget).toMatchObject({ inFlight: 3, reservedBytes: 2 * 65_536 + 1000 })
      clock.advance(5000)
      expect(await Promise.all(asks)).toEqual(asks.map(() => ofFault('timeout')))
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    const content = Buffer.from(
      Array.from({ length: 300_000 }, (_, index) => (index * 7919 * (index >> 5)) & 0xff),
    )
    const framings: readonly (readonly [string, Buffer, (socket: Socket, bytes: Buffer) => void])[] = [
      ['of announced length', response(content), (socket, bytes) => socket.write(bytes)],
      [
        'in chunks',
        Buffer.concat([Buffer.from(chunkedHead()), chunk(content), chunk('')]),
        (socket, bytes) => socket.write(bytes),
      ],
      [
        'that is encoded',
        response(gzipSync(content), { headers: ['content-encoding: gzip'] }),
        (socket, bytes) => socket.write(bytes),
      ],
      [
        'that the end of the connection ends',
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'), content]),
        (socket, bytes) => socket.end(bytes),
      ],
    ]

    /** Fills the budget with two bodies and does not release them, so that a third body must wait for room. */
    async function crowd(bytes: Buffer, send: (socket: Socket, bytes: Buffer) => void) {
      const replies: (() => void)[] = []
      const met = await meet((socket) => replies.push(() => send(socket, bytes)))
      met.budget.resize({ slots: 8, bytes: 500_000 })
      const controller = new AbortController()
      const asks = [met.ask(large), met.ask(large), met.ask(large, controller.signal)] as const
      await met.server.until(() => replies.length === 3)
      const held: ScanResponse[] = []
      for (const index of [0, 1] as const) {
        replies[index]?.()
        held.push(await asks[index])
      }
      replies[2]?.()
      await eventually(() => met.budget.paused === 1)
      const release = () => {
        for (const answer of held.splice(0)) if (answer.kind === 'response') answer.release()
      }
      return { ...met, asked: asks[2], release, controller }
    }

    test.each(framings)(
      'a body %s waits where it finds no room, and goes on when there is',
      async (_what, bytes, send) => {
        const { asked, release, budget } = await crowd(bytes, send)
        release()
        const answer = await asked
        expect(answer.kind === 'response' && answer.body.equals(content)).toBe(true)
        expect(budget).toMatchObject({ reservedBytes: content.length, paused: 0 })
        if (answer.kind === 'response') answer.release()
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
      },
    )

    test.each(framings)(
      'a body %s that waits for room until its time is up is our lack',
      async (_what, bytes, send) => {
        const { asked, release, budget, clock } = await crowd(bytes, send)
        clock.advance(5000)
        expect(await asked).toEqual(ofFault('busy'))
        expect(budget).toMatchObject({ reservedBytes: 2 * content.length, paused: 0 })
        release()
        await eventually(() => budget.inFlight === 0)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
        expect(clock.waiting).toBe(0)
      },
    )

    test.each(framings)(
      'a body %s that waits for room is ended by its signal',
      async (_what, bytes, send) => {
        const { asked, release, budget, controller } = await crowd(bytes, send)
        controller.abort(new Error('the caller left'))
        release()
        await expect(asked).rejects.toThrow('the caller left')
        await eventually(() => budget.inFlight === 0)
        expect(budget).toMatchObject({ reservedBytes: 0, paused: 0 })
      },
    )

    test('bodies larger than the whole share arrive one after the other', async () => {
      const { ask, budget } = await meet(saying(framings[1]?.[1] as Buffer))
      budget.resize({ slots: 8, bytes: 200_000 })
      let most = 0
      const stop = watching(() => {
        most = Math.max(most, budget.reservedBytes)
      })
      const lengths = Array.from({ length: 20 }, async () => {
        const answer = await ask(large)
        if (answer.kind === 'fault') return answer
        answer.release()
        return answer.body.length
      })
      expect(await Promise.all(lengths)).toEqual(lengths.map(() => content.length))
      stop()
      expect(most).toBeLessThanOrEqual(200_000 + 2 * content.length)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0, paused: 0 })
    })

    test('four nodes that flood a hundred asks stay within their shares and one body each', async () => {
      const share = { slots: 32, bytes: 4 * mebibyte }
      const met = await Promise.all(
        [1, 2, 3, 4].map(() => meet(flooding(chunkedHead(), chunk(Buffer.alloc(65_536))))),
      )
      for (const { budget } of met) budget.resize(share)
      let most = 0
      const stop = watching(() => {
        most = Math.max(most, ...met.map(({ budget }) => budget.reservedBytes))
      })
      const asks = met.flatMap(({ ask }) => Array.from({ length: 25 }, () => ask({ maxBytes: 2 * mebibyte })))
      const answers = await Promise.all(asks)
      stop()
      expect(answers).toEqual(answers.map(() => ofFault('oversized')))
      expect(most).toBeGreaterThan(share.bytes / 2)
      expect(most).toBeLessThanOrEqual(share.bytes + 2 * mebibyte)
      for (const { budget } of met)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0 })
    })
  })
})
