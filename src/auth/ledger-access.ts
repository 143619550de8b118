import type { Ledger } from '../ledger/ledger.ts'
import type { Access } from '../ledger/visibility/rights.ts'
import { bearerOf } from '../lib/bearer.ts'
import { type LedgerTokenRules, ledgerTokenOf } from './ledger-token.ts'
import type { ClaimsVerifier } from './verifier.ts'

/** The rules for ledger tokens that come from the configuration: all but the id of the participant. */
export type ConfiguredTokenRules = Omit<LedgerTokenRules, 'participantId'>

export interface LedgerAccessOptions {
  readonly participantId: string
  /**
   * Returns the rules. The function is called for each token, because a reload of the configuration may change them.
   */
  readonly rules: () => ConfiguredTokenRules
  /** The users with the right `CanReadAsAnyParty`. They need no party of their own. */
  readonly anyPartyUsers: readonly string[]
}

export interface LedgerAccessDeps {
  readonly verifier: ClaimsVerifier
  readonly ledger: Pick<Ledger, 'findParty'>
  /**
   * Called if a token is invalid, is for another participant, or cannot be checked. `reason` is for the log.
   */
  readonly tell: (reason: string, requestId: string | undefined) => void
}

/**
 * Returns a function that checks a token. The function resolves with the rights that the token gives on the
 * ledger of this process: its user may read the events of the user's party. If the token gives no rights, the
 * function resolves with the reason.
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
      case 'other-participant':
        tell('is for another participant', requestId)
        return { kind: 'other-participant' }
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
