import { SignJWT } from 'jose'
import type { LoadConfigOptions } from '../base/config/load.ts'
import type { Config } from '../base/config/resolve.ts'
import { type Clock, milliseconds, systemClock } from '../base/lib/clock.ts'
import { exitCodes } from './exit-codes.ts'
import type { Print } from './print.ts'
import { toldConfig } from './read-config.ts'

const lifetime = '24h'

export async function token(
  { user }: { readonly user: string },
  print: Print,
  options: LoadConfigOptions = {},
): Promise<number> {
  const config = toldConfig(print, options)
  if (config === undefined) return exitCodes.badConfig
  const minted = await mintToken(user, config)
  if (minted === undefined) {
    print.err('No token can be made here: auth.unsafeSecret is not set.')
    return exitCodes.failed
  }
  print.out(minted)
  return exitCodes.ok
}

/** The token is signed with `auth.unsafeSecret` (HS256). Returns undefined if that is not set. */
export async function mintToken(
  user: string,
  { auth }: Pick<Config, 'auth'>,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  if (auth.unsafeSecret === undefined) return undefined
  const now = new Date(clock.wall())
  const jwt = new SignJWT({
    ...(auth.issuer !== undefined && { iss: auth.issuer }),
    ...(auth.audience === undefined ? { scope: auth.scope ?? 'daml_ledger_api' } : { aud: auth.audience }),
  })
  jwt.setSubject(user).setIssuedAt(now).setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
  jwt.setExpirationTime(new Date(now.getTime() + milliseconds(lifetime)))
  return jwt.sign(new TextEncoder().encode(auth.unsafeSecret))
}
