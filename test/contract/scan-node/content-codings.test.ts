import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chunk, chunkedHead, flooding, response, saying } from '../../support/hostile-server.ts'
import { everyScanNode, large, mebibyte, ofFault, text, watching } from './met.ts'

everyScanNode((meet) => {
  describe('content codings', () => {
    const content = JSON.stringify({ names: Array.from({ length: 5000 }, (_, index) => `name-${index}`) })

    test('are not asked for where bodies are small, and gzip is where they may be large', async () => {
      const { ask, server } = await meet(saying(response('{}')))
      await ask()
      await ask(large)
      expect(server.requests[0]?.head).toMatch(/^accept-encoding: identity$/m)
      expect(server.requests[1]?.head).toMatch(/^accept-encoding: gzip$/m)
    })

    test.each([
      ['gzip', gzipSync(content)],
      ['GZIP', gzipSync(content)],
      ['deflate', deflateSync(content)],
      ['br', brotliCompressSync(content)],
      ['identity', Buffer.from(content)],
      ['Identity', Buffer.from(content)],
    ])('%s is undone, also when it was not asked for', async (coding, body) => {
      const { ask } = await meet(saying(response(body, { headers: [`content-encoding: ${coding}`] })))
      expect(text(await ask({ maxBytes: 100_000 }))).toBe(content)
      expect(text(await ask(large))).toBe(content)
    })

    test('a body that comes faster than it is decoded arrives whole', async () => {
      const noise = Buffer.from(
        Array.from({ length: 3 * mebibyte }, (_, index) => (index * 7919 * (index >> 5)) & 0xff),
      )
      const { ask } = await meet(saying(response(gzipSync(noise), { headers: ['content-encoding: gzip'] })))
      const answer = await ask(large)
      expect(answer.kind === 'response' && answer.body.equals(noise)).toBe(true)
    })

    test('an unknown one, or one on top of another, is a fault', async () => {
      const { ask, server } = await meet(saying(response('{}', { headers: ['content-encoding: zebra'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
      server.behave(saying(response(gzipSync(gzipSync('{}')), { headers: ['content-encoding: gzip, gzip'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
    })

    test('bytes that are not what the coding says are a fault', async () => {
      const { ask } = await meet(saying(response('{"a":1}', { headers: ['content-encoding: gzip'] })))
      expect(await ask()).toEqual(ofFault('not-json'))
    })

    test('a body cut within its coding is truncated, also where its length is as announced', async () => {
      const cut = gzipSync(content).subarray(0, -20)
      const { ask } = await meet(saying(response(cut, { headers: ['content-encoding: gzip'] })))
      expect(await ask(large)).toEqual(ofFault('truncated'))
    })

    test.each([
      ['gzip', gzipSync(content)],
      ['deflate', deflateSync(content)],
      ['br', brotliCompressSync(content)],
    ])(
      'bytes without end after what %s decodes are a fault, and the end of the connection',
      async (coding, body) => {
        const { ask, server, budget } = await meet(
          flooding(
            Buffer.concat([Buffer.from(chunkedHead(`content-encoding: ${coding}`)), chunk(body)]),
            chunk('\0\0'),
          ),
        )
        expect(await ask(large)).toMatchObject({ kind: 'fault' })
        await server.until(() => server.open === 0)
        expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
      },
    )

    test('a few bytes after what is decoded are a fault', async () => {
      const body = Buffer.concat([gzipSync(content), Buffer.alloc(10)])
      const { ask } = await meet(saying(response(body, { headers: ['content-encoding: gzip'] })))
      expect(await ask({ maxBytes: 100_000 })).toEqual(ofFault('not-json'))
    })

    test('a bomb goes off within the limit', async () => {
      const bomb = gzipSync(Buffer.alloc(256 * mebibyte))
      const { ask, budget } = await meet(saying(response(bomb, { headers: ['content-encoding: gzip'] })))
      const before = process.memoryUsage().arrayBuffers
      let peak = before
      const stop = watching(() => {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
      })
      const answer = await ask(large)
      stop()
      expect(answer).toEqual(ofFault('oversized'))
      expect(peak - before).toBeLessThan(64 * mebibyte)
      expect(budget).toMatchObject({ inFlight: 0, reservedBytes: 0 })
    })

    test('a small bomb under a small limit does not go off either', async () => {
      const bomb = gzipSync(Buffer.alloc(mebibyte))
      const { ask } = await meet(saying(response(bomb, { headers: ['content-encoding: gzip'] })))
      expect(await ask()).toEqual(ofFault('oversized'))
    })
  })
})
