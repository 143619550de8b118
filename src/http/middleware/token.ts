import type { Verifier } from '../../auth/verifier.ts'
import { RefusedToken } from '../../errors/refused-token.ts'
import { type Realm, SpliceError } from '../../errors/splice.ts'
import type { Bearer } from '../../lib/bearer.ts'

export async function requireToken(verifier: Verifier, bearer: Bearer, realm: Realm): Promise<string> {
  const verdict = await verifier.verify(bearer)
  switch (verdict.kind) {
    case 'ok':
      return verdict.subject
    case 'missing':
      throw new SpliceError(
        'unauthorized',
        { why: 'The resource requires authentication, which was not supplied with the request' },
        { realm },
      )
    case 'invalid':
      throw new SpliceError(
        'unauthorized',
        { why: 'The supplied authentication is invalid' },
        { realm, cause: new RefusedToken(verdict.reason) },
      )
    case 'unavailable':
      throw new SpliceError(
        'verifierUnavailable',
        {},
        { retryAfter: 5, cause: new RefusedToken(verdict.reason) },
      )
  }
}
