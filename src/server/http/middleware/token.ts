import { RefusedToken } from '../../../base/errors/refused-token.ts'
import { type Realm, SpliceError } from '../../../base/errors/splice.ts'
import type { Bearer } from '../../../base/lib/bearer.ts'
import type { Verifier } from '../../auth/verifier.ts'

const refusals = {
  missing: 'The resource requires authentication, which was not supplied with the request',
  invalid: 'The supplied authentication is invalid',
} as const

export async function requireToken(verifier: Verifier, bearer: Bearer, realm: Realm): Promise<string> {
  const verdict = await verifier.verify(bearer)
  if (verdict.kind === 'ok') return verdict.subject
  const cause = verdict.kind === 'missing' ? undefined : new RefusedToken(verdict.reason)
  if (verdict.kind === 'unavailable')
    throw new SpliceError('verifierUnavailable', {}, { retryAfter: 5, cause })
  throw new SpliceError('unauthorized', { why: refusals[verdict.kind] }, { realm, cause })
}
