import { describe, expect, test } from 'vitest'
import { chunk, chunkedHead, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, text } from './met.ts'

everyScanNode((meet) => {
  describe('answers', () => {
    test('with the status and the bytes that the node sent', async () => {
      const { ask } = await meet(saying(response('{"a":1}', { status: '404 Not Found' })))
      expect(await ask()).toMatchObject({ kind: 'response', status: 404, body: Buffer.from('{"a":1}') })
    })

    test('asks for JSON at the path that was given', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask({ path: '/api/scan/v0/ans-entries?page_size=2&name_prefix=a%20b' })
      const [heard] = server.requests
      expect(heard?.head).toMatch(
        /^GET \/api\/scan\/v0\/ans-entries\?page_size=2&name_prefix=a%20b HTTP\/1\.1\r\n/,
      )
      expect(heard?.head).toMatch(/^accept: application\/json$/m)
      expect(heard?.head).toMatch(new RegExp(`^host: 127\\.0\\.0\\.1:${server.port}$`, 'm'))
    })

    test('puts the base path of the URL before it', async () => {
      const { ask, server, node } = await meet(saying(response('{}')), '/sv-1/')
      await ask()
      expect(server.requests[0]?.head).toMatch(/^GET \/sv-1\/api\/scan\/v0\/x HTTP/)
      expect(node.url).toBe(`${server.url}/sv-1`)
    })

    test('a POST with its body', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask({ method: 'POST', body: '{"name":"ü"}' })
      expect(server.requests[0]?.head).toMatch(/^content-type: application\/json$/m)
      expect(Buffer.from(server.requests[0]?.body ?? '', 'latin1').toString()).toBe('{"name":"ü"}')
    })

    test('a body in many pieces', async () => {
      const pieces = Array.from({ length: 900 }, (_, index) => chunk(`${index},`))
      const { ask } = await meet((socket) => {
        socket.write(chunkedHead())
        for (const piece of pieces) socket.write(piece)
        socket.write(chunk(''))
      })
      expect(text(await ask())).toBe(Array.from({ length: 900 }, (_, index) => `${index},`).join(''))
    })

    test('an empty body, also where none may come', async () => {
      const { ask, server } = await meet(saying(response('')))
      expect(text(await ask())).toBe('')
      server.behave(saying('HTTP/1.1 204 No Content\r\n\r\n'))
      expect(await ask()).toMatchObject({ status: 204, body: Buffer.alloc(0) })
    })

    test('a body of exactly the limit', async () => {
      const { ask } = await meet(saying(response('x'.repeat(1000))))
      expect(text(await ask({ maxBytes: 1000 }))).toHaveLength(1000)
    })

    test('a body that the end of the connection ends', async () => {
      const { ask } = await meet((socket) =>
        socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{"a":1}'),
      )
      expect(text(await ask())).toBe('{"a":1}')
    })

    test('a redirect as a response, without going there', async () => {
      const { ask, server } = await meet(
        saying(response('', { status: '302 Found', headers: ['location: http://127.0.0.1:1/'] })),
      )
      expect(await ask()).toMatchObject({ kind: 'response', status: 302 })
      expect(server.requests).toHaveLength(1)
    })

    test('past interim responses', async () => {
      const { ask } = await meet(saying(`HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${response('{}')}`))
      expect(await ask()).toMatchObject({ kind: 'response', status: 200 })
    })

    test('one connection for asks in a row', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      for (let round = 0; round < 5; round++) await ask()
      expect(server.accepted).toBe(1)
    })

    test('without pipelining: asks at the same time have a connection each', async () => {
      const { ask, server } = await meet(() => {})
      const controller = new AbortController()
      const asks = Promise.allSettled([1, 2, 3].map(() => ask({}, controller.signal)))
      await server.until(() => server.requests.length === 3)
      expect(server.accepted).toBe(3)
      controller.abort()
      await asks
    })

    test('many asks on one signal, without a warning', async () => {
      const warnings: string[] = []
      const note = (warning: Error) => warnings.push(warning.message)
      process.on('warning', note)
      const { ask } = await meet(saying(response('{}')))
      await Promise.all(Array.from({ length: 30 }, () => ask()))
      await new Promise(setImmediate)
      process.off('warning', note)
      expect(warnings).toEqual([])
    })
  })
})
