import { describe, expect, test } from 'vitest'
import { BodyCollector } from '../../src/scan/node.intake.ts'

function collected(chunks: readonly Buffer[], maxBytes: number, expected?: number) {
  const collector = new BodyCollector({ maxBytes, expected })
  const kept = chunks.map((chunk) => collector.add(chunk))
  return { kept, body: collector.take() }
}

describe('a body', () => {
  test('that is small in a large read does not keep the read in memory', () => {
    const { body } = collected([Buffer.alloc(65_536, 'x').subarray(0, 100)], 1000)
    expect(body).toEqual(Buffer.alloc(100, 'x'))
    expect(body.buffer.byteLength).toBe(100)
  })

  test('of known length takes that much memory', () => {
    const { body } = collected([Buffer.alloc(30_000, 'a'), Buffer.alloc(70_000, 'b')], 1_000_000, 100_000)
    expect(body).toEqual(Buffer.concat([Buffer.alloc(30_000, 'a'), Buffer.alloc(70_000, 'b')]))
    expect(body.buffer.byteLength).toBe(100_000)
  })

  test('in crumbs takes about its own size, and never more than the limit', () => {
    const crumbs = Array.from({ length: 50_000 }, (_, index) => Buffer.from([index & 0xff]))
    const { body } = collected(crumbs, 50_000)
    expect(body).toEqual(Buffer.concat(crumbs))
    expect(body.buffer.byteLength).toBeLessThanOrEqual(50_000)
  })

  test('keeps nothing of the chunk that leads beyond the limit', () => {
    const { kept, body } = collected([Buffer.from('abc'), Buffer.from('def')], 5)
    expect(kept).toEqual([true, false])
    expect(body.toString()).toBe('abc')
  })
})
