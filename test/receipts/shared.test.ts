import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { byName } from '../daemon/questions.ts'
import { startLiveRemote, startLiveStage } from '../support/daemon.ts'
import { newFolder } from '../support/new-folder.ts'
import { startRedisServer } from '../support/redis.ts'
import { asking, directory, keysIn, verifies } from './verified.ts'

test('an answer from the Redis of several daemons has a receipt by the key of the one that serves it, and no key is in the Redis', async () => {
  await using redis = await startRedisServer()
  await using stage = await startLiveStage()
  const folder = newFolder(onTestFinished)
  const seeds = stage.localnet.superValidators.map(({ url }) => url)
  const start = (name: string) =>
    startLiveRemote(seeds, { 'cache.redis.url': redis.url, 'receipts.keyFile': join(folder, name) })
  await using first = await start('first.pem')
  await using second = await start('second.pem')
  const path = byName('alice.unverified.cns')
  const own = await first.get(path, { headers: asking })
  const shared = await second.get(path, { headers: asking })
  expect(shared.headers['cache-status']).toMatch(/hit/)
  expect(await verifies(own, { path }, keysIn(await first.get(directory)))).toBe(true)
  expect(await verifies(shared, { path }, keysIn(await second.get(directory)))).toBe(true)
  expect(own.headers['x-bft-receipt']).not.toContain('basis')
  expect(shared.headers['x-bft-receipt']).toMatch(/basis=shared$/)
  const valueIn = (text: unknown) => /value=:(.*?):/.exec(String(text))?.[1]
  expect(valueIn(shared.headers['x-bft-receipt'])).toBe(valueIn(own.headers['x-bft-receipt']))

  using client = clientOf(redis.url)
  const kept: string[] = []
  for (const key of await client.redis.keys('*'))
    if ((await client.redis.type(key)) === 'string')
      kept.push((await client.redis.getBuffer(key))?.toString('latin1') ?? '')
  expect(kept.some((text) => text.includes('alice.unverified.cns'))).toBe(true)
  for (const name of ['first.pem', 'second.pem']) {
    const pem = (await readFile(join(folder, name), 'latin1')).split('\n')[1] as string
    expect(kept.join('\n')).not.toContain(pem.slice(-43))
  }
})

function clientOf(url: string) {
  const redis = new Redis(url)
  return { redis, [Symbol.dispose]: () => redis.disconnect() }
}
