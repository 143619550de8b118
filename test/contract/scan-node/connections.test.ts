import { describe, expect, test } from 'vitest'
import { eventually } from '../../support/eventually.ts'
import { chunk, chunkedHead, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, mebibyte, ofFault, text } from './met.ts'

everyScanNode((meet) => {
  describe('broken connections', () => {
    test('a refused one is unreachable', async () => {
      const { ask, server, node } = await meet(() => {})
      await server[Symbol.asyncDispose]()
      expect(await ask()).toEqual(ofFault('unreachable'))
      expect(await ask()).toEqual(ofFault('unreachable'))
      node.warm()
    })

    test('asks that waited for one that was refused are refused in turn', async () => {
      const { ask, server, budget } = await meet(() => {})
      await server[Symbol.asyncDispose]()
      budget.resize({ slots: 1, bytes: mebibyte })
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 2, 3].map(() => ofFault('unreachable')))
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0, waiting: 0 })
    })

    const breaks: readonly (readonly [string, string, string])[] = [
      ['before a response', 'reset', ''],
      ['within the status line', 'reset', 'HTTP/1.1 20'],
      ['within the headers', 'reset', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n'],
      ['within a body of known length', 'truncated', 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n1234'],
      ['within a chunk', 'truncated', `${chunkedHead()}5\r\n123`],
      ['between chunks', 'truncated', `${chunkedHead()}${chunk('12345')}`],
      ['within an encoded body', 'truncated', `${chunkedHead('content-encoding: gzip')}${chunk('\x1f')}`],
    ]

    test.each(breaks)('closed %s is %s', async (_where, fault, bytes) => {
      const { ask, server } = await meet((socket) => socket.end(bytes))
      expect(await ask()).toEqual(ofFault(fault))
      expect(server.requests).toHaveLength(1)
    })

    test.each(breaks)('reset %s is %s', async (_where, fault, bytes) => {
      const { ask, server } = await meet((socket) => socket.write(bytes, () => socket.resetAndDestroy()))
      expect(await ask()).toEqual(ofFault(fault))
      expect(server.requests).toHaveLength(1)
    })

    test.each([
      ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', 'reset'],
      ['a status that is none', 'HTTP/1.1 two hundred\r\n\r\n', 'reset'],
      ['a header that is none', 'HTTP/1.1 200 OK\r\n\x00\x01\r\n\r\n', 'reset'],
      ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}}', 'reset'],
      [
        'a length and chunks',
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}',
        'reset',
      ],
      [
        'an upgrade',
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        'reset',
      ],
      ['a chunk without a size', `${chunkedHead()}zz\r\n{}\r\n`, 'truncated'],
    ])('%s is a fault', async (_what, bytes, fault) => {
      const { ask, server } = await meet(saying(bytes))
      expect(await ask()).toEqual(ofFault(fault))
      await server.until(() => server.open === 0)
    })

    test('bytes after the announced length do not reach the next answer', async () => {
      const { ask, server } = await meet((socket, { nth }) =>
        socket.write(nth === 0 ? `${response('{"a":1}')}${response('{"a":"stale"}')}` : response('{"a":2}')),
      )
      expect(text(await ask())).toBe('{"a":1}')
      server.behave(saying(response('{"a":2}')))
      expect(text(await ask())).toBe('{"a":2}')
    })
  })

  describe('connections kept alive', () => {
    test('one that the node closed between two asks is replaced', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.hangUp()
      await server.until(() => server.open === 0)
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.accepted).toBe(2)
    })

    test.each([
      ['GET', undefined],
      ['POST', '{"cached":[]}'],
    ] as const)(
      'one that breaks under a %s is replaced once, and the ask sent again',
      async (method, body) => {
        const { ask, server } = await meet((socket, { nth }) => {
          if (nth === 0) socket.write(response('{}'))
          else socket.resetAndDestroy()
        })
        const repeatable = { method, ...(body === undefined ? {} : { body }) }
        await ask()
        expect(await ask(repeatable)).toMatchObject({ status: 200 })
        expect(server.requests.map((heard) => heard.nth)).toEqual([0, 1, 0])
        expect(server.requests[2]?.head).toBe(server.requests[1]?.head)
        expect(server.requests[2]?.body).toBe(body ?? '')
      },
    )

    test('an ask is sent twice at most', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket) => socket.destroy())
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(3)
    })

    test('an ask that was the first on its connection is not sent again', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.hangUp()
      await server.until(() => server.open === 0)
      server.behave((socket) => socket.destroy())
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(2)
    })

    test('an ask is not sent again once a byte came back', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket) => socket.end('H'))
      expect(await ask()).toEqual(ofFault('reset'))
      expect(server.requests).toHaveLength(2)
    })

    test('an ask that is sent again keeps its time-out', async () => {
      const { ask, server, clock } = await meet(saying(response('{}')))
      await ask()
      server.behave((socket, { nth }) => {
        if (nth > 0) socket.destroy()
      })
      const asked = ask()
      await server.until(() => server.requests.length === 3)
      clock.advance(5000)
      expect(await asked).toEqual(ofFault('timeout'))
      expect(clock.waiting).toBe(0)
    })

    test('one that the node says it will close is not used again', async () => {
      const { ask, server } = await meet((socket) =>
        socket.end(response('{}', { headers: ['connection: close'] })),
      )
      await ask()
      expect(await ask()).toMatchObject({ status: 200 })
      expect(server.requests.map(({ nth }) => nth)).toEqual([0, 0])
    })
  })

  describe('its life', () => {
    test('warming opens the connection that the first ask uses', async () => {
      const { node, server, ask, budget } = await meet(saying(response('{}')))
      node.warm()
      await server.until(() => server.requests.length === 1)
      await eventually(() => budget.inFlight === 0)
      await ask()
      expect(server.accepted).toBe(1)
      expect(budget.reservedBytes).toBe(2)
    })

    test('warming does nothing where there is a connection, or no more use for one', async () => {
      const { node, server, ask } = await meet(saying(response('{}')))
      await ask()
      node.warm()
      await ask()
      expect([server.requests.length, server.accepted]).toEqual([2, 1])
      await node[Symbol.asyncDispose]()
      node.warm()
      await ask()
      expect([server.requests.length, server.accepted]).toEqual([2, 1])
    })

    test('disposing waits for the asks under way and closes every connection', async () => {
      const { node, server, clock, ask } = await meet(() => {})
      const asked = ask()
      await server.until(() => server.requests.length === 1)
      let disposed = false
      const disposing = node[Symbol.asyncDispose]().then(() => {
        disposed = true
      })
      expect(await ask()).toEqual(ofFault('busy'))
      expect(disposed).toBe(false)
      clock.advance(5000)
      expect(await asked).toEqual(ofFault('timeout'))
      await disposing
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })

    test('disposing does not wait for a warming', async () => {
      const { node, server, clock } = await meet(() => {})
      node.warm()
      await server.until(() => server.requests.length === 1)
      await node[Symbol.asyncDispose]()
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })

    test('disposing an idle node closes what it kept alive', async () => {
      const { node, server, clock, ask } = await meet(saying(response('{}')))
      await Promise.all([ask(), ask(), ask()])
      expect(server.open).toBe(3)
      await node[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
      await server.until(() => server.open === 0)
      expect(clock.waiting).toBe(0)
    })
  })
})
