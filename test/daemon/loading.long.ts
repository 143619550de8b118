import { expect, test } from 'vitest'
import { ask } from '../localnet/ask.ts'
import { loadedPackages } from '../support/loaded-packages.ts'
import { startRedisServer } from '../support/redis.ts'
import { byName } from './questions.ts'

const onDemand = ['@hono/zod-openapi', 'ioredis', 'jose', 'prom-client']

test('a daemon that answers lookups has not loaded packages for other parts', async () => {
  const loaded = await loadedPackages({}, async ({ http, operations }) => {
    expect((await ask(http, byName('nobody'))).status).toBe(404)
    expect((await ask(operations, '/readyz')).status).toBe(200)
  })
  expect(loaded).toContain('hono')
  expect(loaded.filter((name) => onDemand.includes(name))).toEqual([])
  // pino-pretty prints the log for people. The log of this daemon is JSON.
  expect(loaded).not.toContain('pino-pretty')
})

test('a daemon loads a package when it is needed first', async () => {
  await using redis = await startRedisServer()
  const loaded = await loadedPackages(
    { REDIS_URL: redis.url, LEDGER_DRIVER: 'embedded' },
    async ({ http, operations }) => {
      expect((await ask(http, '/openapi.json')).status).toBe(200)
      expect((await ask(operations, '/metrics')).status).toBe(200)
      const badToken = { headers: { authorization: 'Bearer none' } }
      expect((await ask(http, '/v0/entry/all', badToken)).status).toBe(401)
    },
  )
  expect(onDemand.filter((name) => !loaded.includes(name))).toEqual([])
})

test('the thread that answers never holds the script of /docs, which another one reads and compresses', async () => {
  const loaded = await loadedPackages({}, async ({ http }) => {
    expect((await ask(http, '/docs/scalar.js', { headers: { 'accept-encoding': 'br' } })).status).toBe(200)
  })
  expect(loaded).toContain('hono')
  expect(loaded.filter((name) => name.startsWith('@scalar/'))).toEqual([])
})
