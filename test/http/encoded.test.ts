import { expect, test } from 'vitest'
import { encode, encodedFor } from '../../src/http/encoded.ts'

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
