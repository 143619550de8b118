import { describe, expect, test } from 'vitest'
import { Budget } from '../../src/core/scan/in-flight-budget.ts'
import { IncomingBody } from '../../src/core/scan/node.body.ts'

const source = { pause() {}, resume() {} }

function received(chunks: readonly Buffer[], maxBytes: number, announced?: number): Buffer {
  const body = new IncomingBody(new Budget({ slots: 1, bytes: 1_000_000 }), 0, maxBytes, {
    whole() {},
    failed() {},
  })
  body.begin(source, 200, announced === undefined ? {} : { 'content-length': String(announced) })
  for (const chunk of chunks) body.write(chunk, source)
  body.end()
  return body.body
}

describe('a body', () => {
  test('that is small in a large read does not keep the read in memory', () => {
    const body = received([Buffer.alloc(65_536, 'x').subarray(0, 100)], 1000)
    expect(body).toEqual(Buffer.alloc(100, 'x'))
    expect(body.buffer.byteLength).toBe(100)
  })

  test('of known length takes that much memory', () => {
    const body = received([Buffer.alloc(30_000, 'a'), Buffer.alloc(70_000, 'b')], 1_000_000, 100_000)
    expect(body).toEqual(Buffer.concat([Buffer.alloc(30_000, 'a'), Buffer.alloc(70_000, 'b')]))
    expect(body.buffer.byteLength).toBe(100_000)
  })

  test('in pieces takes about its own size, and never more than the limit', () => {
    const pieces = Array.from({ length: 1_000 }, (_, index) => Buffer.from([index & 0xff]))
    const body = received(pieces, 1_500)
    expect(body).toEqual(Buffer.concat(pieces))
    expect(body.buffer.byteLength).toBeLessThanOrEqual(1_500)
  })
})
