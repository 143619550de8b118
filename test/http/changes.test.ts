import { afterAll, expect, test } from 'vitest'
import { spliceErrors } from '../../src/base/errors/splice.ts'
import { startStage } from '../support/daemon.ts'
import { openDoors } from './doors.ts'

const path = '/mirror/changes'

const stage = await startStage({ config: { 'mirror.level': 'bindings' } })

afterAll(() => stage[Symbol.asyncDispose]())

test('at another level than stream there is no feed of changes, which is a 404 that says so', async () => {
  const { status, headers, text } = await stage.get(path)
  expect([status, headers['x-bft-error']]).toEqual([404, 'noChangeFeed'])
  expect(JSON.parse(text)).toEqual({ error: spliceErrors.noChangeFeed.text })
  expect(headers['cache-control']).toBe('no-store')
})

test('where scan-proxy reads need a token, the feed does, before anything else is looked at', async () => {
  const verify = async ({ kind }: { readonly kind: string }) =>
    kind === 'token'
      ? ({ kind: 'ok', subject: 'alice', claims: {} } as const)
      : ({ kind: 'missing' } as const)
  const changes = { listen: () => ({ kind: 'malformed' }) as const }
  await using doors = await openDoors(stage, { verifier: { verify }, changes })
  const refused = await doors.ask(`${path}?after=yesterday`)
  expect(refused.status).toBe(401)
  expect(refused.headers['www-authenticate']).toBe('Bearer realm="splice scan proxy realm"')
  const known = await doors.ask(`${path}?after=yesterday`, { headers: { authorization: 'Bearer x' } })
  expect(known.status).toBe(400)
})

test.each([
  [{ kind: 'full' }, 'tooManyListeners'],
  [{ kind: 'closed' }, 'stopping'],
] as const)(
  'a stream that is not opened because of %j is a 503 that may be tried again',
  async (told, code) => {
    await using doors = await openDoors(stage, { changes: { listen: () => told } })
    const { status, headers } = await doors.ask(path)
    expect([status, headers['x-bft-error'], headers['retry-after']]).toEqual([503, code, '10'])
  },
)
