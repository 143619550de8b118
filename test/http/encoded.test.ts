import { expect, test } from 'vitest'
import { startStage } from '../support/daemon.ts'
import { longestBlockMs } from '../support/longest-block.ts'

test('a hundred callers who ask for one document without compression do not block the event loop', async () => {
  await using stage = await startStage()
  const ask = () => stage.get('/openapi.json', { headers: { 'accept-encoding': 'identity' } })
  const { text } = await ask()
  const longest = await longestBlockMs(async () => {
    for (const heard of await Promise.all(Array.from({ length: 100 }, ask))) expect(heard.text).toBe(text)
  })
  // Daemon and callers share this process. If one turn answered all callers, it would take half a second.
  expect(longest).toBeLessThan(200)
})
