import { bearerOf } from '../../base/lib/bearer.ts'
import type { Access } from '../../registry/ledger/api/rights.ts'
import type { EmbeddedLedger } from '../../registry/ledger/embedded/embedded-ledger.ts'
import type { Claims, Verifier } from './verifier.ts'

const ledgerScope = 'daml_ledger_api'
const localNetAudience = 'https://canton.network.global'
const participantAudience = 'https://daml.com/jwt/aud/participant/'

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
  readonly verifier: Verifier
  readonly users: Pick<EmbeddedLedger, 'findParty'>
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
    const verified = await verifier.verify(bearerOf(bearer))
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

export interface LedgerTokenRules {
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  readonly participantId: string
  /** On a localnet, tokens of Splice's LocalNet are good where no audience and no scope is configured. */
  readonly isLocalnet?: boolean
}

type LedgerToken =
  | {
      readonly kind: 'ok'
      readonly userId: string
      /** In milliseconds since 1970. Undefined for a token that never expires. */
      readonly expiresAt: number | undefined
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'other-participant' }

/**
 * Returns the access that a token gives, by the rules of Canton's Ledger API
 * (AuthServiceJWTPayload). The caller has verified the signature and the times.
 * Only the first rule that applies is checked:
 * - If an audience is configured, `aud` must contain it.
 * - If a scope is configured, the token's scopes (`scope`, else `scp`) must contain it.
 * - On a localnet, `aud` may contain the audience of Splice's LocalNet.
 * - If exactly one `aud` is of the form `https://daml.com/jwt/aud/participant/<id>`, the id must be
 *   this participant's.
 * - Otherwise the scopes must contain `daml_ledger_api`, and `aud` must be empty or this
 *   participant's id.
 */
function ledgerTokenOf(
  claims: Claims,
  { audience, scope, participantId, isLocalnet = false }: LedgerTokenRules,
): LedgerToken {
  const { sub, exp } = claims
  if (typeof sub !== 'string' || sub === '') return { kind: 'invalid', reason: 'names no user' }
  const ok = {
    kind: 'ok',
    userId: sub,
    expiresAt: typeof exp === 'number' ? exp * 1000 : undefined,
  } as const
  const audiences = textsOf(claims['aud'])
  const scopes = scopesOf(claims)
  if (audience !== undefined)
    return audiences.includes(audience) ? ok : { kind: 'invalid', reason: 'is for another audience' }
  if (scope !== undefined)
    return scopes.includes(scope) ? ok : { kind: 'invalid', reason: 'has another scope' }
  if (isLocalnet && audiences.includes(localNetAudience)) return ok
  const participants = audiences
    .filter((one) => one.startsWith(participantAudience))
    .map((one) => one.slice(participantAudience.length))
  const named =
    participants.length === 1 ? participants : scopes.includes(ledgerScope) ? audiences : undefined
  if (named === undefined || named.length > 1)
    return { kind: 'invalid', reason: 'is of no ledger: neither its audience nor its scope says so' }
  return named.length === 0 || named[0] === participantId ? ok : { kind: 'other-participant' }
}

function scopesOf({ scope, scp }: Claims): readonly string[] {
  return typeof scope === 'string' && scope.trim() !== '' ? scope.trim().split(/\s+/) : textsOf(scp)
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
