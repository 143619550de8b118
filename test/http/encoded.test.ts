import { expect, test } from 'vitest'
import { encode, encodedFor } from '../../src/http/encoded.ts'

test('callers who take no compression share one body, however many there are', async () => {
  const text = '{"openapi":"3.1.0"}'.repeat(1_000)
  const encoded = await encode(text)
  const all = await Promise.all(Array.from({ length: 100 }, () => encodedFor(encoded, undefined)))
  const [first] = all
  expect(new TextDecoder().decode(first?.body)).toBe(text)
  expect(new Set(all.map(({ body }) => body)).size).toBe(1)
  expect((await encodedFor(encoded, 'identity')).body).toBe(first?.body)
})

test('callers who wait for one body are answered in many turns of the event loop', async () => {
  const encoded = await encode('a document')
  let turns = 0
  const count = () => {
    turns++
    immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      await encodedFor(encoded, 'identity')
      for (const ends = performance.now() + 0.2; performance.now() < ends; );
    }),
  )
  clearImmediate(immediate)
  expect(turns).toBeGreaterThanOrEqual(19)
})
