import { afterAll, describe, expect, test } from 'vitest'
import { mintToken } from '../../src/cli/token.ts'
import type { Verifier } from '../../src/server/auth/verifier.ts'
import { rawToken } from '../auth/keys.ts'
import { configOf } from '../config/config.ts'
import { startStage } from '../support/daemon.ts'
import { statusWithoutBody } from '../support/speak.ts'
import { openDoors } from './doors.ts'

const proxied = ['/v0/scan-proxy', '/api/validator/v0/scan-proxy'].map(
  (base) => `${base}/ans-entries/by-name/alice.unverified.cns`,
)
const posted = ['/v0/scan-proxy/ans-rules', '/api/validator/v0/scan-proxy/holdings/summary']
const open = [
  '/v0/ans-entries/by-name/alice.unverified.cns',
  '/api/scan/v0/ans-entries?page_size=1',
  '/readyz',
]

const stage = await startStage({
  config: { 'auth.scanProxy': 'bearer', 'auth.audience': 'names', 'auth.unsafeSecret': 'unsafe' },
})
const bearer = await bearerFor('names')

afterAll(() => stage[Symbol.asyncDispose]())

async function bearerFor(audience: string, unsafeSecret = 'unsafe'): Promise<Record<string, string>> {
  const token = await mintToken('alice', configOf({ auth: { audience, unsafeSecret } }), stage.clock)
  return { authorization: `Bearer ${token}` }
}

describe('Where scan-proxy reads need a token:', () => {
  test.each(proxied)(
    '%s is answered to a caller with a token, cached or not, for that caller alone',
    async (path) => {
      for (let round = 0; round < 2; round++) {
        const heard = await stage.get(path, { headers: bearer })
        expect(heard.status).toBe(200)
        expect(heard.headers['cache-control']).toBe('private, max-age=30')
      }
      const unchanged = { ...bearer, 'if-none-match': '*' }
      const heard = await stage.get(path, { headers: unchanged })
      expect(heard).toMatchObject({ status: 304, headers: { 'cache-control': 'private, max-age=30' } })
    },
  )

  test.each(proxied)(
    '%s is read live for a caller with a token, and the token is checked before the header',
    async (path) => {
      const heard = await stage.get(path, { headers: { ...bearer, 'x-bft-live': '?1' } })
      expect(heard).toMatchObject({
        status: 200,
        headers: { 'cache-status': 'bft-scan-proxy; fwd=request; stored' },
      })
      expect((await stage.get(path, { headers: { ...bearer, 'x-bft-live': 'yes' } })).status).toBe(400)
      expect((await stage.get(path, { headers: { 'x-bft-live': 'yes' } })).status).toBe(401)
    },
  )

  test.each(proxied)(
    "%s is refused to a caller without a token, in Splice's words, cached or not",
    async (path) => {
      const missing = 'The resource requires authentication, which was not supplied with the request'
      const invalid = 'The supplied authentication is invalid'
      const cases: readonly (readonly [Record<string, string>, string])[] = [
        [{}, missing],
        [{ authorization: '' }, missing],
        [{ authorization: 'Basic YTpi' }, missing],
        [{ authorization: 'Bearer' }, missing],
        [{ authorization: 'Bearer x.y.z' }, invalid],
        [await bearerFor('others'), invalid],
        [await bearerFor('names', 'guessed'), invalid],
      ]
      await stage.get(path, { headers: bearer })
      for (const [headers, error] of cases) {
        for (const more of [{}, { 'if-none-match': '*' }]) {
          const heard = await stage.get(path, { headers: { ...headers, ...more } })
          expect(heard.status).toBe(401)
          expect(JSON.parse(heard.text)).toEqual({ error })
          expect(heard.headers).toMatchObject({
            'www-authenticate': 'Bearer realm="splice scan proxy realm"',
            'cache-control': 'no-store',
          })
          for (const name of ['etag', 'x-bft-quorum', 'age']) expect(heard.headers[name]).toBeUndefined()
        }
      }
    },
  )

  test.each(posted)(
    'POST %s is refused to a caller without a token before the body has arrived',
    async (path) => {
      for (const length of ['10000000', '10'])
        expect(await statusWithoutBody(stage.daemon.http, `POST ${path}`, `content-length: ${length}`)).toBe(
          401,
        )
    },
  )

  test('invalid tokens are one line a minute for each caller and reason, and the next line counts those between', async () => {
    await using other = await startStage({ config: { 'auth.scanProxy': 'bearer' } })
    const refusedLines = () => other.lines().filter(({ msg }) => msg === 'a token was refused')
    const flood = async (localAddress: string, token: (time: number) => string) => {
      for (let time = 0; time < 20; time++) {
        const headers = { authorization: `Bearer ${token(time)}` }
        const { status } = await other.get('/v0/scan-proxy/dso-party-id', { headers, localAddress })
        expect(status).toBe(401)
      }
    }
    const made = (header: object) => rawToken({ alg: 'HS256', ...header }, { sub: 'alice' }, 'AAAA')
    const forged = () => made({})
    // The reason must not have the name that the token gives to its extension.
    const extended = (time: number) => made({ crit: [`made-up-${time}`], [`made-up-${time}`]: true })
    const [one, two] = ['127.0.0.1', '127.0.0.2']
    await flood(one, forged)
    await flood(one, extended)
    await flood(two, forged)
    const reasons = [
      'ERR_JWS_SIGNATURE_VERIFICATION_FAILED: signature verification failed',
      'ERR_JOSE_NOT_SUPPORTED',
    ]
    expect(refusedLines()).toMatchObject([
      { level: 'info', from: one, reason: reasons[0], requestId: expect.any(String) },
      { from: one, reason: reasons[1] },
      { from: two, reason: reasons[0] },
    ])
    other.clock.advance(60_000)
    await flood(one, forged)
    expect(refusedLines().slice(3)).toMatchObject([{ from: one, reason: reasons[0], suppressed: 19 }])
  })

  test('a token ends when it says', async () => {
    await using other = await startStage({ config: { 'auth.scanProxy': 'bearer' } })
    const token = await mintToken('alice', configOf({}), other.clock)
    const headers = { authorization: `Bearer ${token}` }
    const path = '/v0/scan-proxy/dso-party-id'
    expect((await other.get(path, { headers })).status).toBe(200)
    other.clock.setWall(other.clock.wall() + 24 * 3_600_000)
    expect((await other.get(path, { headers })).status).toBe(401)
  })

  test.each(open)('%s needs none', async (path) => {
    expect((await stage.get(path)).status).toBe(200)
  })

  test.each([
    ['a path that nothing is at', '/v0/scan-proxy/nothing', 'GET', 404],
    ['another method', '/v0/scan-proxy/dso-party-id', 'PUT', 405],
    ['a preflight', '/v0/scan-proxy/dso-party-id', 'OPTIONS', 200],
  ])('%s is answered without one', async (_what, path, method, status) => {
    expect((await stage.get(path, { method })).status).toBe(status)
  })
})

test('Where an audience is configured and no secret is, the secret of every localnet signs nothing', async () => {
  await using other = await startStage({ config: { 'auth.scanProxy': 'bearer', 'auth.audience': 'names' } })
  const headers = await bearerFor('names', 'unsafe')
  expect((await other.get('/v0/scan-proxy/dso-party-id', { headers })).status).toBe(401)
})

test('while the keys of tokens are unavailable, every caller is asked to come back later', async () => {
  const verifier: Verifier = { verify: async () => ({ kind: 'unavailable', reason: 'down' }) }
  await using doors = await openDoors(stage, { verifier })
  for (const path of proxied) {
    const heard = await doors.ask(path, { headers: bearer })
    expect(heard).toMatchObject({ status: 503, headers: { 'retry-after': '5', 'cache-control': 'no-store' } })
    expect(heard.headers).toMatchObject({
      'x-bft-error': 'verifierUnavailable',
      'x-bft-quorum': 'agreed=0, threshold=2, asked=0, voters=4',
    })
    expect(JSON.parse(heard.text)).toEqual({ error: 'The keys to check the token with cannot be fetched.' })
  }
})
