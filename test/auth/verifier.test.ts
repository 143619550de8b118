import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { type JWTPayload, SignJWT } from 'jose'
import nock from 'nock'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bearerIn } from '../../src/base/lib/bearer.ts'
import { milliseconds } from '../../src/base/lib/clock.ts'
import { JoseVerifier, type JoseVerifierOptions } from '../../src/server/auth/verifier.jose.ts'
import { ManualClock } from '../support/manual-clock.ts'
import { onLoopback } from '../support/on-loopback.ts'
import { type IssuerKey, issuerKey, rawToken } from './keys.ts'

const host = 'https://issuer.example'
const options: JoseVerifierOptions = {
  issuer: `${host}/`,
  audience: 'https://proxy.example',
  jwksUrl: `${host}/keys`,
}
const claims = { sub: 'alice', iss: `${host}/`, aud: 'https://proxy.example' }

let clock: ManualClock
let rsa: IssuerKey
let ec: IssuerKey
let next: IssuerKey

beforeAll(async () => {
  rsa = await issuerKey('rsa')
  ec = await issuerKey('ec', 'ES256')
  next = await issuerKey('next')
})

beforeEach(() => {
  clock = new ManualClock()
  nock.disableNetConnect()
})

afterEach(() => {
  const unused = nock.pendingMocks()
  nock.cleanAll()
  nock.enableNetConnect()
  expect(unused).toEqual([])
})

/** Signs claims that no JSON encoder writes, such as `1e400`. */
function hmacToken(claims: string): string {
  const part = (text: string) => Buffer.from(text).toString('base64url')
  const input = `${part('{"alg":"HS256"}')}.${part(claims)}`
  return `${input}.${createHmac('sha256', 'unsafe').update(input).digest('base64url')}`
}

function publishOnce(...keys: readonly IssuerKey[]) {
  return nock(host)
    .get('/keys')
    .reply(200, { keys: keys.map(({ jwk }) => jwk) })
}

function verifier(changes: JoseVerifierOptions = {}) {
  const made = new JoseVerifier({ ...options, ...changes }, { clock })
  return {
    verify: (authorization: string) => made.verify(bearerIn(authorization)),
    refreshKeys: () => made.refreshKeys(),
  }
}

test('a list of keys that is longer than a megabyte is not read to its end', async () => {
  nock.enableNetConnect('127.0.0.1')
  using server = await servingBody(' '.repeat(2 ** 21))
  const longKeys = verifier({ jwksUrl: server.url })
  expect(await longKeys.verify(`Bearer ${await rsa.sign(claims)}`)).toMatchObject({ kind: 'unavailable' })
})

async function servingBody(body: string): Promise<Disposable & { readonly url: string }> {
  const { port, ...listening } = await onLoopback(createServer((_request, response) => response.end(body)))
  return { url: `http://127.0.0.1:${port}/keys`, ...listening }
}

describe('a token of the issuer', () => {
  test.each(['RS256', 'ES256'])('signed with %s is taken', async (alg) => {
    publishOnce(rsa, ec)
    const token = await (alg === 'RS256' ? rsa : ec).sign(claims)
    expect(await verifier().verify(`Bearer ${token}`)).toMatchObject({ kind: 'ok', subject: 'alice' })
  })

  test('may name several audiences, and the user in the claim of Splice', async () => {
    publishOnce(rsa)
    const token = await rsa.sign({
      ...claims,
      aud: ['https://other.example', claims.aud],
      'https://canton-network': { daml_user: 'bob' },
    })
    expect(await verifier().verify(`bearer  ${token}`)).toMatchObject({ kind: 'ok', subject: 'bob' })
  })

  test('is taken whatever its issuer and audience, where none is configured', async () => {
    publishOnce(rsa)
    const subject = verifier({ issuer: undefined, audience: undefined })
    const token = await rsa.sign({ sub: 'alice', iss: 'anyone' })
    expect(await subject.verify(`Bearer ${token}`)).toMatchObject({ kind: 'ok', subject: 'alice' })
  })

  test('ends with the second of exp and begins with that of nbf', async () => {
    publishOnce(rsa)
    const subject = verifier()
    const now = clock.wall() / 1000
    const token = `Bearer ${await rsa.sign({ ...claims, nbf: now + 10, exp: now + 20 })}`
    const kinds: string[] = []
    for (const ms of [9_999, 1, 9_999, 1]) {
      clock.advance(ms)
      const result = await subject.verify(token)
      kinds.push(result.kind === 'invalid' ? result.reason : result.kind)
    }
    expect(kinds).toEqual([
      'ERR_JWT_CLAIM_VALIDATION_FAILED: "nbf" claim timestamp check failed',
      'ok',
      'ok',
      'ERR_JWT_EXPIRED: "exp" claim timestamp check failed',
    ])
  })

  test.each([
    ['another issuer', { iss: 'https://evil.example/' }, 'unexpected "iss" claim value'],
    ['no issuer', { iss: undefined }, 'missing required "iss" claim'],
    ['another audience', { aud: 'https://other.example' }, 'unexpected "aud" claim value'],
    [
      'an audience that only contains the text',
      { aud: 'https://proxy.example.evil' },
      'unexpected "aud" claim value',
    ],
    ['no audience', { aud: undefined }, 'missing required "aud" claim'],
    ['an end that is no number', { exp: 'tomorrow' }, '"exp" claim must be a number'],
  ])('with %s is invalid', async (_, changes, reason) => {
    publishOnce(rsa)
    const result = await verifier().verify(
      `Bearer ${await rsa.sign({ ...claims, ...changes } as JWTPayload)}`,
    )
    expect(result).toEqual({ kind: 'invalid', reason: `ERR_JWT_CLAIM_VALIDATION_FAILED: ${reason}` })
  })

  test.each(['exp', 'nbf', 'iat'])('whose %s is no time is invalid', async (claim) => {
    const subject = verifier({
      issuer: undefined,
      audience: undefined,
      jwksUrl: undefined,
      unsafeSecret: 'unsafe',
    })
    const sends = (value: string) =>
      subject.verify(`Bearer ${hmacToken(`{"sub":"alice","${claim}":${value}}`)}`)
    for (const value of ['1e400', '-1e400', '1e300', '-1e300', '9007199254740993', '"1"', 'null', '[]'])
      expect(await sends(value), value).toMatchObject({ kind: 'invalid' })
    const now = clock.wall() / 1000
    expect(await sends(String(claim === 'exp' ? 253_402_300_799 : now - 1))).toMatchObject({ kind: 'ok' })
  })

  test('that was taken is taken again until its exp, and no longer than its key is published', async () => {
    publishOnce(rsa)
    const checker = verifier()
    const now = Math.floor(clock.wall() / 1000)
    const lasting = await rsa.sign(claims)
    const ending = await rsa.sign({ ...claims, exp: now + 6 })
    for (const token of [lasting, ending, lasting, ending])
      expect(await checker.verify(`Bearer ${token}`)).toMatchObject({ kind: 'ok', subject: 'alice' })
    await clock.advance(milliseconds('6s'))
    expect(await checker.verify(`Bearer ${ending}`)).toMatchObject({ kind: 'invalid' })
    expect(await checker.verify(`Bearer ${lasting}`)).toMatchObject({ kind: 'ok' })
    publishOnce(next)
    expect(await checker.verify(`Bearer ${await next.sign(claims)}`)).toMatchObject({ kind: 'ok' })
    expect(await checker.verify(`Bearer ${lasting}`)).toMatchObject({ kind: 'invalid' })
  })

  test('that names no user is invalid', async () => {
    publishOnce(rsa)
    const token = await rsa.sign({ ...claims, sub: '' })
    expect(await verifier().verify(`Bearer ${token}`)).toEqual({ kind: 'invalid', reason: 'names no user' })
  })
})

describe('a token that must not be accepted', () => {
  test('has the published key as its secret', async () => {
    const input = rawToken({ alg: 'HS256', kid: rsa.kid }, claims).slice(0, -1)
    const forged = `${input}.${createHmac('sha256', rsa.pem).update(input).digest('base64url')}`
    for (const subject of [verifier(), verifier({ unsafeSecret: 'unsafe' })])
      expect(await subject.verify(`Bearer ${forged}`)).toMatchObject({ kind: 'invalid' })
  })

  const ofAnotherText = async () => {
    const [header, , signature] = (await rsa.sign(claims)).split('.')
    const changed = Buffer.from(JSON.stringify({ ...claims, sub: 'mallory' })).toString('base64url')
    return `${header}.${changed}.${signature}`
  }
  const evil = () => ({ kid: rsa.kid, jwk: next.jwk, jku: 'https://evil.example/keys' })
  test.each<[what: string, token: () => Promise<string>, reason: string]>([
    ['has the signature of another key', () => next.sign(claims, { kid: rsa.kid }), 'ERR_JWS_SIGNATURE'],
    ['has other claims than were signed', ofAnotherText, 'ERR_JWS_SIGNATURE'],
    ['brings its own key', () => next.sign(claims, evil()), 'ERR_JWS_SIGNATURE'],
    ['names no key of several', () => rsa.sign(claims, { kid: undefined }), 'ERR_JWKS_MULTIPLE'],
  ])('%s', async (_, token, reason) => {
    if (reason === 'ERR_JWKS_MULTIPLE') publishOnce(rsa, next)
    else publishOnce(rsa)
    expect(await verifier().verify(`Bearer ${await token()}`)).toEqual({
      kind: 'invalid',
      reason: expect.stringContaining(reason),
    })
  })

  test('has an algorithm that is none, or that nothing is configured for', async () => {
    const tokens = ['none', 'None', 'NONE', ''].map((alg) => rawToken({ alg }, claims))
    const secret = verifier({ jwksUrl: undefined, unsafeSecret: 'unsafe' })
    for (const token of [...tokens, await rsa.sign(claims)])
      for (const subject of [secret, verifier({ jwksUrl: undefined })])
        expect(await subject.verify(`Bearer ${token}`)).toMatchObject({ kind: 'invalid' })
  })

  test.each(['x', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', 'é.ü.ö', 'a b', `${'x'.repeat(100_000)}`])(
    'is none: %.20s',
    async (text) => {
      expect(await verifier().verify(`Bearer ${text}`)).toMatchObject({ kind: 'invalid' })
    },
  )
})

describe('a shared secret', () => {
  const sign = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(new TextEncoder().encode(secret))

  test('signs tokens for a localnet, also beside published keys', async () => {
    publishOnce(rsa)
    const subject = verifier({ unsafeSecret: 'unsafe' })
    expect(await subject.verify(`Bearer ${await sign('unsafe')}`)).toMatchObject({
      kind: 'ok',
      subject: 'alice',
    })
    expect(await subject.verify(`Bearer ${await sign('guessed')}`)).toMatchObject({ kind: 'invalid' })
    expect(await subject.verify(`Bearer ${await rsa.sign(claims)}`)).toMatchObject({ kind: 'ok' })
  })
})

describe('the keys', () => {
  test('are fetched once, however many tokens wait for them and follow', async () => {
    publishOnce(rsa)
    const subject = verifier()
    const token = `Bearer ${await rsa.sign(claims)}`
    const results = await Promise.all(Array.from({ length: 50 }, () => subject.verify(token)))
    clock.advance(milliseconds('1h'))
    results.push(await subject.verify(token))
    expect(new Set(results.map(({ kind }) => kind))).toEqual(new Set(['ok']))
  })

  test('are fetched again for a key that is new, six seconds after they were last', async () => {
    publishOnce(rsa)
    const subject = verifier()
    expect(await subject.verify(`Bearer ${await rsa.sign(claims)}`)).toMatchObject({ kind: 'ok' })

    const rotated = `Bearer ${await next.sign(claims)}`
    clock.advance(5_999)
    expect(await subject.verify(rotated)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('ERR_JWKS_NO_MATCHING_KEY'),
    })
    publishOnce(next)
    clock.advance(1)
    expect(await subject.verify(rotated)).toMatchObject({ kind: 'ok' })
    expect(await subject.verify(`Bearer ${await rsa.sign(claims)}`)).toMatchObject({ kind: 'invalid' })
  })

  test('are fetched once in six seconds for key ids that were made up', async () => {
    publishOnce(rsa)
    const subject = verifier()
    for (let kid = 0; kid < 20; kid++) {
      const token = await rsa.sign(claims, { kid: `made-up-${kid}` })
      expect(await subject.verify(`Bearer ${token}`)).toMatchObject({ kind: 'invalid' })
    }
    publishOnce(rsa)
    clock.advance(6_000)
    expect(await subject.verify(`Bearer ${await rsa.sign(claims, { kid: 'x' })}`)).toMatchObject({
      kind: 'invalid',
    })
  })

  test.each([
    [
      'a refused connection',
      () => nock(host).get('/keys').replyWithError('connect ECONNREFUSED'),
      'ECONNREFUSED',
    ],
    ['a server error', () => nock(host).get('/keys').reply(500, 'oops'), 'Expected 200 OK'],
    [
      'a redirect',
      () => nock(host).get('/keys').reply(302, '', { location: 'https://evil.example' }),
      'Expected 200 OK',
    ],
    ['HTML', () => nock(host).get('/keys').reply(200, '<html>'), 'Failed to parse'],
    ['another document', () => nock(host).get('/keys').reply(200, { issuer: host }), 'malformed'],
    [
      'a list of nonsense',
      () =>
        nock(host)
          .get('/keys')
          .reply(200, { keys: [1] }),
      'malformed',
    ],
  ])(
    '%s says nothing about the token, and is asked again after six seconds only',
    async (_, fail, reason) => {
      const subject = verifier()
      const token = `Bearer ${await rsa.sign(claims)}`
      fail()
      const unavailable = { kind: 'unavailable', reason: expect.stringContaining(reason) }
      expect(await subject.verify(token)).toEqual(unavailable)
      clock.advance(5_999)
      expect(await subject.verify(token)).toEqual(unavailable)
      publishOnce(rsa)
      clock.advance(1)
      expect(await subject.verify(token)).toMatchObject({ kind: 'ok' })
    },
  )

  test('that are known go on being used while they cannot be fetched', async () => {
    publishOnce(rsa)
    const subject = verifier()
    const known = `Bearer ${await rsa.sign(claims)}`
    expect(await subject.verify(known)).toMatchObject({ kind: 'ok' })

    nock(host).get('/keys').reply(503)
    clock.advance(6_000)
    expect(await subject.verify(`Bearer ${await next.sign(claims)}`)).toMatchObject({ kind: 'unavailable' })
    expect(await subject.verify(`Bearer ${await next.sign(claims)}`)).toMatchObject({ kind: 'unavailable' })
    expect(await subject.verify(known)).toMatchObject({ kind: 'ok' })
  })

  test('that were withdrawn are refused once they were fetched again on request, at any time', async () => {
    publishOnce(rsa)
    const { verify, refreshKeys } = verifier()
    const bearer = `Bearer ${await rsa.sign(claims)}`
    expect(await verify(bearer)).toMatchObject({ kind: 'ok' })
    publishOnce(next)
    expect(await refreshKeys()).toBeUndefined()
    expect(await verify(bearer)).toMatchObject({ kind: 'invalid' })
    expect(await verify(`Bearer ${await next.sign(claims)}`)).toMatchObject({ kind: 'ok' })
  })

  test('stay where they cannot be fetched again on request, which says why', async () => {
    publishOnce(rsa)
    const { verify, refreshKeys } = verifier()
    const bearer = `Bearer ${await rsa.sign(claims)}`
    expect(await verify(bearer)).toMatchObject({ kind: 'ok' })
    nock(host).get('/keys').reply(503)
    expect(await refreshKeys()).toMatch(/200 OK/)
    expect(await verify(bearer)).toMatchObject({ kind: 'ok' })
  })

  test('of other kinds beside the one that is meant do no harm', async () => {
    nock(host)
      .get('/keys')
      .reply(200, {
        keys: [{ kty: 'OKP', crv: 'X25519', x: 'AA' }, { kty: 'unknown', kid: 'rsa' }, ec.jwk, rsa.jwk],
      })
    expect(await verifier().verify(`Bearer ${await rsa.sign(claims)}`)).toMatchObject({ kind: 'ok' })
  })
})
