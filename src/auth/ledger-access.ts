import type { Ledger } from '../ledger/ledger.ts'
import type { Access } from '../ledger/visibility/rights.ts'
import { bearerOf } from '../lib/bearer.ts'
import { type LedgerTokenRules, ledgerTokenOf } from './ledger-token.ts'
import type { ClaimsVerifier } from './verifier.ts'

export type ConfiguredTokenRules = Omit<LedgerTokenRules, 'participantId'>

export interface LedgerAccessOptions {
  readonly participantId: string
  /**
   * The function is called for each token, because a reload of the configuration may change the
   * rules.
   */
  readonly rules: () => ConfiguredTokenRules
  readonly anyPartyUsers: readonly string[]
}

export interface LedgerAccessDeps {
  readonly verifier: ClaimsVerifier
  readonly users: Pick<Ledger, 'findParty'>
  /** Logs why a token was refused. */
  readonly tell: (reason: string, requestId: string | undefined) => void
}

/**
 * Makes a function that checks a token and returns what its user may read: the events of the user's
 * party, or of every party for a user in `anyPartyUsers`.
 */
export function ledgerAccess(
  options: LedgerAccessOptions,
  { verifier, users, tell }: LedgerAccessDeps,
): (bearer: string, requestId?: string) => Promise<Access> {
  const { participantId } = options
  const anyParty = new Set(options.anyPartyUsers)
  return async (bearer, requestId) => {
    const verified = await verifier.claims(bearerOf(bearer))
    if (verified.kind === 'missing') return { kind: 'unauthenticated' }
    const token =
      verified.kind === 'ok'
        ? ledgerTokenOf(verified.claims, { ...options.rules(), participantId })
        : verified
    switch (token.kind) {
      case 'unavailable':
        tell(token.reason, requestId)
        return { kind: 'unavailable' }
      case 'invalid':
        tell(token.reason, requestId)
        return { kind: 'unauthenticated' }
      case 'other-participant':
        tell('is for another participant', requestId)
        return { kind: 'other-participant' }
      case 'ok': {
        const { userId, expiresAt } = token
        const party = await users.findParty(userId)
        const readAsAnyParty = anyParty.has(userId)
        if (party === undefined && !readAsAnyParty) return { kind: 'unknown-user' }
        const readAs = new Set(party === undefined ? [] : [party])
        return { kind: 'reader', userId, rights: { readAs, readAsAnyParty }, expiresAt }
      }
    }
  }
}
