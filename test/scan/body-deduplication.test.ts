import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AlikeBodies, BodyCollector } from '../../src/scan/body-deduplication.ts'

const maxBytes = 4000

/** Generates bodies with a common beginning, cut anywhere. Each body may have one changed letter and a short end. */
const bodies = fc
  .record({
    common: fc.array(fc.constantFrom(0x61, 0x62), { maxLength: 300 }),
    own: fc.array(
      fc.record({
        length: fc.nat(320),
        changed: fc.option(fc.nat(300)),
        tail: fc.array(fc.constantFrom(0x61, 0x62), { maxLength: 3 }),
        fails: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  })
  .map(({ common, own }) =>
    own.map(({ length, changed, tail, fails }) => {
      const body = Buffer.from([...common.slice(0, length), ...tail])
      if (changed !== null && changed < body.length) body[changed] = 0x63
      return { body, fails }
    }),
  )

test('bodies that arrive together are the same as alone, in any pieces and order', () => {
  fc.assert(
    fc.property(bodies, fc.infiniteStream(fc.nat()), (all, draws) => {
      const alike = new AlikeBodies()
      const draw = () => draws.next().value as number
      const arriving = all.map(({ body, fails }) => {
        const expected = draw() % 2 === 0 ? body.length : undefined
        return { body, fails, sent: 0, collector: new BodyCollector({ maxBytes, expected }, alike) }
      })
      const taken: { body: Buffer; whole: Buffer }[] = []
      while (arriving.length > 0) {
        const at = draw() % arriving.length
        const one = arriving[at] as (typeof arriving)[number]
        const { body, collector, fails } = one
        const chunk = Buffer.from(body.subarray(one.sent, one.sent + 1 + (draw() % 60)))
        if (chunk.length > 0) expect(collector.add(chunk)).toBe(true)
        one.sent += chunk.length
        if (one.sent < body.length) continue
        arriving.splice(at, 1)
        if (fails) collector.drop()
        else taken.push({ body, whole: collector.take() })
        if (!fails && draw() % 2 === 0) {
          collector.drop()
          expect(taken.pop()?.whole).toEqual(body)
        }
      }
      for (const { body, whole } of taken) {
        expect(whole).toEqual(body)
        expect(whole.buffer.byteLength).toBeLessThanOrEqual(1.25 * body.length + 4096)
      }
    }),
    { numRuns: 1000 },
  )
})

describe('alike bodies', () => {
  const half = () => Buffer.alloc(30_000, 'a')
  const collectors = (count: number) => {
    const alike = new AlikeBodies()
    return Array.from(
      { length: count },
      () => new BodyCollector({ maxBytes: 100_000, expected: 60_000 }, alike),
    )
  }

  test('are held once', () => {
    const all = collectors(3)
    for (const _half of [1, 2]) for (const collector of all) collector.add(half())
    const [first, ...others] = all.map((collector) => collector.take())
    for (const other of others) expect(other.buffer).toBe(first?.buffer)
  })

  test('are held once also where a liar was first', () => {
    const [liar, ...honest] = collectors(3)
    liar?.add(half())
    liar?.add(Buffer.alloc(30_000, 'b'))
    for (const _half of [1, 2]) for (const collector of honest) collector.add(half())
    const [first, second] = honest.map((collector) => collector.take())
    expect(second?.buffer).toBe(first?.buffer)
    expect(first).toEqual(Buffer.alloc(60_000, 'a'))
    expect(liar?.take()).toEqual(Buffer.concat([half(), Buffer.alloc(30_000, 'b')]))
  })

  test('that were let go are not held for those that come later', () => {
    const [first, second] = collectors(2)
    first?.add(half())
    const before = first?.take()
    first?.drop()
    const chunk = half()
    second?.add(chunk)
    expect(second?.take().buffer).not.toBe(before?.buffer)
  })

  test('that end early do not hold on to what others go on with', () => {
    const [short, long] = collectors(2)
    short?.add(half())
    long?.add(half())
    expect(short?.take()).toEqual(half())
    long?.add(half())
    expect(short?.take().buffer.byteLength).toBeLessThan(35_000)
    expect(long?.take()).toEqual(Buffer.alloc(60_000, 'a'))
  })
})
