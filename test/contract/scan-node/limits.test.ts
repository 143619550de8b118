import { describe, expect, test } from 'vitest'
import { chunk, chunkedHead, flooding, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, large, ofFault } from './met.ts'

everyScanNode((meet) => {
  describe('limits', () => {
    test('an announced length above the limit is refused before the body is read', async () => {
      const { ask, server } = await meet(saying(`HTTP/1.1 200 OK\r\ncontent-length: 65537\r\n\r\n`))
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('a body without a length is cut off at the limit', async () => {
      const { ask, server } = await meet(flooding(chunkedHead(), chunk('x'.repeat(16_384))))
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('a body in crumbs is cut off long before the limit', async () => {
      const { ask } = await meet(
        flooding(chunkedHead(), Buffer.concat(Array.from({ length: 5000 }, () => chunk('x')))),
      )
      expect(await ask(large)).toMatchObject({
        fault: 'oversized',
        detail: expect.stringMatching(/^\d+ chunks for/),
      })
    })

    test('an encoded body that decodes to nothing without end is cut off', async () => {
      const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff])
      const { ask, server } = await meet(
        flooding(
          Buffer.concat([
            Buffer.from(chunkedHead('content-encoding: deflate')),
            chunk(Buffer.from([0x78, 0x9c])),
          ]),
          chunk(Buffer.concat(Array.from({ length: 1000 }, () => emptyBlock))),
        ),
      )
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('headers of more than 16 KiB are refused', async () => {
      const { ask, server } = await meet(
        saying(response('{}', { headers: [`x-long: ${'a'.repeat(15_000)}`] })),
      )
      expect(await ask()).toMatchObject({ status: 200 })
      server.behave(saying(response('{}', { headers: [`x-long: ${'a'.repeat(17_000)}`] })))
      expect(await ask()).toEqual(ofFault('oversized'))
    })

    test('headers without end are cut off', async () => {
      const { ask, server } = await meet(
        flooding('HTTP/1.1 200 OK\r\n', Buffer.from(`x-a: ${'a'.repeat(1000)}\r\n`)),
      )
      expect(await ask()).toEqual(ofFault('oversized'))
      await server.until(() => server.open === 0)
    })

    test('interim responses without end are cut off', async () => {
      const { ask, server } = await meet(flooding('', Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n')))
      expect(await ask()).toEqual(ofFault('reset'))
      server.behave(flooding('', Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')))
      expect(await ask()).toEqual(ofFault('reset'))
      await server.until(() => server.open === 0)
    })
  })
})
