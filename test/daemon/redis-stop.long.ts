import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { soonerThan } from '../support/eventually.ts'
import { freePort } from '../support/free-port.ts'
import { DaemonProcess } from '../support/process.ts'
import { startRedisServer } from '../support/redis.ts'

/** A daemon that waited for Redis would take longer to stop. */
const longestMs = 10_000

const kinds = [
  ['Redis', 'redis://', '/7'],
  ['Redis behind TLS', 'rediss://', ''],
  ['Sentinel', 'redis+sentinel://', '/group'],
  ['cluster', 'redis+cluster://', ''],
] as const

async function stops(url: string, before: () => void = () => {}): Promise<void> {
  await using daemon = await DaemonProcess.start({ REDIS_URL: url })
  await daemon.listening()
  before()
  daemon.signal('SIGTERM')
  expect(await soonerThan(longestMs, daemon.ended)).toMatchObject({ code: 0, errors: [] })
}

describe.concurrent('SIGTERM ends a daemon', () => {
  test.for(kinds)('that reaches no %s', async ([, scheme, path]) => {
    await stops(`${scheme}127.0.0.1:${await freePort()}${path}`)
  })

  test.for(kinds)('whose %s never says a word', async ([, scheme, path]) => {
    const silent = createServer().listen(0, '127.0.0.1')
    try {
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      await stops(`${scheme}127.0.0.1:${port}${path}`)
    } finally {
      silent.close()
    }
  })

  test('whose Redis hangs', async () => {
    await using redis = await startRedisServer()
    await stops(redis.url, () => redis.freeze())
  })
})
