import type { Verifier } from '../../auth/verifier.ts'
import { type Realm, SpliceError } from '../../errors/splice.ts'
import type { Bearer } from '../../lib/bearer.ts'
import type { Logger } from '../../telemetry/logger.ts'

export interface TokenLog {
  readonly logger: Logger
  readonly requestId: string
}

export async function requireToken(
  verifier: Verifier,
  bearer: Bearer,
  realm: Realm,
  { logger, requestId }: TokenLog,
): Promise<string> {
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
      logger.info({ requestId, reason: verdict.reason }, 'a token was refused')
      throw new SpliceError('unauthorized', { why: 'The supplied authentication is invalid' }, { realm })
    case 'unavailable':
      logger.warn({ requestId, reason: verdict.reason }, 'the keys to check tokens with cannot be fetched')
      throw new SpliceError('verifierUnavailable', {}, { retryAfter: 5 })
  }
}
