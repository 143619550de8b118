import { expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import { configOf, written } from '../config/config.ts'
import { DaemonProcess } from '../support/process.ts'
import { startRedisServer } from '../support/redis.ts'
import { byName } from './questions.ts'

const signing = 'signing-secret-of-the-test'
const sealing = 'sealing-secret-of-the-test'
const password = 'redis-p4ss-of-the-test'

test('no log line, even at the most detailed level, and no answer contains a secret or a token', async () => {
  await using redis = await startRedisServer({ settings: { requirepass: 'another-one' } })
  await using daemon = await DaemonProcess.start({
    LOG_LEVEL: 'trace',
    LEDGER_DRIVER: 'embedded',
    REDIS_URL: `redis://someone:${password}@127.0.0.1:${redis.port}`,
    REDIS_CACHE_SECRET: sealing,
    AUTH_UNSAFE_SECRET: signing,
    NODE_CONFIG: JSON.stringify({ auth: { scanProxy: 'bearer' } }),
  })
  const { http, operations, control } = await daemon.listening()
  await daemon.said('redis cannot be used; lookups go on without it')

  const config = configOf(written({ 'auth.unsafeSecret': signing }))
  const token = (await mintToken('alice', config)) as string
  const [head = '', body = '', signature = ''] = token.split('.')
  const forged = `${head}.${body}.${signature.slice(0, -4)}AAAA`
  const statuses: number[] = []
  const call = async (path: string, bearer: string, init: RequestInit = {}) => {
    const headers = {
      authorization: `Bearer ${bearer}`,
      'content-type': 'application/json',
      cookie: `session=${bearer}`,
    }
    statuses.push((await fetch(`${http}${path}`, { headers, ...init })).status)
  }
  await fetch(`${control}/super-validators/sv-1/fault`, { method: 'PUT', body: '{"kind":"lie"}' })
  for (const bearer of [token, forged, 'opaque-token-of-the-test']) {
    await call(byName('dso.cns'), bearer)
    await call(`${byName('nobody.cns')}?access_token=${bearer}`, bearer)
    await call('/v0/wallet/tap', bearer, { method: 'POST', body: `{"amount": "${bearer}"}` })
    await call('/v2/state/ledger-end', bearer)
  }
  expect(new Set(statuses)).toEqual(new Set([200, 404, 400, 401]))

  const shown = await Promise.all(
    ['/status', '/evidence', '/metrics'].map(async (path) => (await fetch(`${operations}${path}`)).text()),
  )
  daemon.signal('SIGTERM')
  const { errors } = await daemon.ended
  const all = [...daemon.lines.map((line) => JSON.stringify(line)), ...errors, ...shown].join('\n')
  expect(all).toContain('a read was agreed on')
  expect(all).toContain('a token was refused')
  expect(all).toContain('a request was answered')
  const secrets = [signing, sealing, password, token, signature, body, forged, 'opaque-token-of-the-test']
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
})
