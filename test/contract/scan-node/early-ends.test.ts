import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { chunk, chunkedHead, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, ofFault } from './met.ts'

everyScanNode((meet) => {
  describe('time-outs', () => {
    const parts: readonly (readonly [string, string])[] = [
      ['silence', ''],
      ['headers that stop', 'HTTP/1.1 200 OK\r\ncontent-'],
      ['a body that stops', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'],
      ['a chunked body that stops', `${chunkedHead()}${chunk('12345')}`],
      ['an encoded body that stops', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ]

    test.each(parts)('%s ends at the time-out, and the connection with it', async (_what, bytes) => {
      const { ask, server, clock, budget } = await meet(saying(bytes))
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      clock.advance(4999)
      expect(budget.inFlight).toBe(1)
      clock.advance(1)
      expect(await asked).toEqual(ofFault('timeout'))
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test.each([
      ['headers', `HTTP/1.1 200 OK\r\nx-slow: ${'a'.repeat(1000)}`],
      ['body', `HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${'a'.repeat(1000)}`],
    ])('a drip of %s does not buy time', async (_what, bytes) => {
      let position = 0
      let drip = () => {}
      const { ask, server, clock } = await meet((socket) => {
        drip = () => socket.write(bytes.slice(position, ++position))
      })
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      for (let second = 0; second < 5; second++) {
        drip()
        await new Promise(setImmediate)
        clock.advance(1000)
      }
      expect(await asked).toEqual(ofFault('timeout'))
    })

    test('a node that hung is asked again on a new connection', async () => {
      const { ask, server, clock } = await meet(() => {})
      const hung = ask()
      await server.until(() => server.requests.length === 1)
      clock.advance(5000)
      await hung
      server.behave(saying(response('{}')))
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(2)
    })
  })

  describe('a signal', () => {
    test('that aborted before rejects without asking', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await expect(ask({}, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
      expect(server.accepted).toBe(0)
    })

    test.each([
      ['silence', ''],
      ['half a body', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345'],
      ['half an encoded body', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ])('that aborts in %s rejects with its reason and ends the request', async (_what, bytes) => {
      const { ask, server, clock, budget } = await meet(saying(bytes))
      const controller = new AbortController()
      const asked = ask({}, controller.signal)
      await server.until(() => server.requests.length === 1)
      controller.abort(new Error('the caller left'))
      await expect(asked).rejects.toThrow('the caller left')
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test('that aborts while connecting rejects at once, and the connection serves the next ask', async () => {
      const { ask, server, budget } = await meet(saying(response('{}')))
      const controller = new AbortController()
      const asked = ask({}, controller.signal)
      controller.abort(new Error('the caller left'))
      await expect(asked).rejects.toThrow('the caller left')
      expect(budget).toMatchObject({ inFlight: 1, reservedBytes: 0 })
      await eventually(() => budget.inFlight === 0)
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(1)
      expect(server.requests).toHaveLength(1)
    })

    test('that aborts after the answer changes nothing', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      const controller = new AbortController()
      const answer = await ask({}, controller.signal)
      controller.abort()
      expect(answer).toMatchObject({ status: 200 })
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(1)
    })

    test('is forgotten when the ask is over', async () => {
      const { ask, server, clock } = await meet(saying(response('{}')))
      const { signal } = new AbortController()
      await ask({}, signal)
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
      server.behave(() => {})
      const asked = ask({}, signal)
      await server.until(() => server.requests.length === 2)
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      clock.advance(5000)
      await asked
      expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    })
  })
})
