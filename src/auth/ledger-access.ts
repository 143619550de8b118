import type { Ledger } from '../ledger/ledger.ts'
import type { Access } from '../ledger/visibility/rights.ts'
import { bearerOf } from '../lib/bearer.ts'
import { type LedgerTokenRules, ledgerTokenOf } from './ledger-token.ts'
import type { ClaimsVerifier } from './verifier.ts'

/** The part of the rules for ledger tokens that the configuration sets. */
export type ConfiguredTokenRules = Omit<LedgerTokenRules, 'participantId'>

export interface LedgerAccessOptions {
  readonly participantId: string
  /** Returns the rules. It is called for each token, because a reload changes them. */
  readonly rules: () => ConfiguredTokenRules
  /** The users with the right `CanReadAsAnyParty`. They need no party of their own. */
  readonly anyPartyUsers: readonly string[]
}

export interface LedgerAccessDeps {
  readonly verifier: ClaimsVerifier
  readonly ledger: Pick<Ledger, 'findParty'>
  /** Called with the reason if a token is refused or cannot be checked, for the log. */
  readonly tell: (reason: string, requestId: string | undefined) => void
}

/**
 * Returns a function that decides whose events the bearer of a token may read on this process's ledger. Each
 * user may read as the party as which it acts.
 */
export function ledgerAccess(
  options: LedgerAccessOptions,
  { verifier, ledger, tell }: LedgerAccessDeps,
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
      case 'elsewhere':
        tell('is for another participant', requestId)
        return { kind: 'elsewhere' }
      case 'ok': {
        const { userId, expiresAt } = token
        const party = await ledger.findParty(userId)
        const readAsAnyParty = anyParty.has(userId)
        if (party === undefined && !readAsAnyParty) return { kind: 'unknown-user' }
        const readAs = new Set(party === undefined ? [] : [party])
        return { kind: 'reader', rights: { readAs, readAsAnyParty }, expiresAt }
      }
    }
  }
}
