import type { Access } from '../ledger/api/rights.ts'
import type { Ledger } from '../ledger/ledger.ts'
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
}

/**
 * Makes a function that checks a token and returns what its user may read: the events of the user's
 * party, or of every party for a user in `anyPartyUsers`.
 */
export function ledgerAccess(
  options: LedgerAccessOptions,
  { verifier, users }: LedgerAccessDeps,
): (bearer: string) => Promise<Access> {
  const { participantId } = options
  const anyParty = new Set(options.anyPartyUsers)
  return async (bearer) => {
    const verified = await verifier.claims(bearerOf(bearer))
    if (verified.kind === 'missing') return { kind: 'unauthenticated' }
    const token =
      verified.kind === 'ok'
        ? ledgerTokenOf(verified.claims, { ...options.rules(), participantId })
        : verified
    switch (token.kind) {
      case 'unavailable':
        return { kind: 'unavailable', reason: token.reason }
      case 'invalid':
        return { kind: 'unauthenticated', reason: token.reason }
      case 'other-participant':
        return { kind: 'other-participant', reason: 'is for another participant' }
      case 'ok': {
        const { userId, expiresAt } = token
        const party = await users.findParty(userId)
        const readsAnyParty = anyParty.has(userId)
        if (party === undefined && !readsAnyParty) return { kind: 'unknown-user' }
        return { kind: 'reader', userId, party, readsAnyParty, expiresAt }
      }
    }
  }
}
