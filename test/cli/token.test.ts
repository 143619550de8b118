import { fileURLToPath } from 'node:url'
import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { bearerOf } from '../../src/base/lib/bearer.ts'
import { mintToken, token } from '../../src/cli/token.ts'
import { JoseVerifier } from '../../src/server/auth/verifier.jose.ts'
import { ManualClock } from '../support/manual-clock.ts'

const packageDir = fileURLToPath(new URL('../..', import.meta.url))

async function run(user: string, env: Readonly<Record<string, string>> = {}) {
  const out: string[] = []
  const err: string[] = []
  const print = { out: (line: string) => out.push(line), err: (line: string) => err.push(line) }
  return { code: await token({ user }, print, { env, cwd: packageDir, packageDir }), out, err }
}

test('a localnet takes the token that is printed for a user', async () => {
  const { code, out, err } = await run('alice')
  expect({ code, err }).toEqual({ code: 0, err: [] })
  const verifier = new JoseVerifier({ unsafeSecret: 'unsafe' })
  expect(await verifier.verify(bearerOf(`${out[0]}`))).toMatchObject({ kind: 'ok', subject: 'alice' })
})

test('it has the issuer and the audience that are configured, and ends after 24 hours', async () => {
  const clock = new ManualClock()
  const auth = {
    unsafeSecret: 'secret',
    issuer: 'https://issuer.example',
    audience: 'https://proxy.example',
    scanProxy: 'bearer',
  } as const
  const minted = (await mintToken('alice', { auth }, clock)) as string
  const now = clock.wall() / 1000
  expect(decodeJwt(minted)).toEqual({
    sub: 'alice',
    iss: auth.issuer,
    aud: auth.audience,
    iat: now,
    exp: now + 86_400,
  })
  const verifier = new JoseVerifier(auth, { clock })
  expect(await verifier.verify(bearerOf(minted))).toMatchObject({ kind: 'ok', subject: 'alice' })
  clock.advance(86_400_000)
  expect(await verifier.verify(bearerOf(minted))).toMatchObject({ kind: 'invalid' })
})

test('there is none for a remote network', async () => {
  const { code, out, err } = await run('alice', { NODE_CONFIG_ENV: 'devnet' })
  expect({ code, out, err }).toEqual({
    code: 1,
    out: [],
    err: ['No token can be made here: auth.unsafeSecret is not set.'],
  })
})

test('a command with an unusable configuration says so, and ends with 78', async () => {
  const { code, err } = await run('alice', { HTTP_PORT: 'x' })
  expect({ code, err }).toEqual({ code: 78, err: [expect.stringMatching(/^http\.port must be /)] })
})
