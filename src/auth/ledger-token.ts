import type { Claims } from './verifier.ts'

/**
 * The configured audience and scope of tokens, and the id of this participant. `ledgerTokenOf` documents how
 * a token is checked against them.
 */
export interface LedgerTokenRules {
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  readonly participantId: string
}

/** The access that a token gives: the id of its user, or the reason why it gives no access. */
export type LedgerToken =
  | {
      readonly kind: 'ok'
      readonly userId: string
      /** The time at which the token expires, in milliseconds since 1970. Undefined means never. */
      readonly expiresAt: number | undefined
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'other-participant' }

const ledgerScope = 'daml_ledger_api'
const participantAudience = 'https://daml.com/jwt/aud/participant/'

/**
 * Returns the access that the claims of a token give, by the rules of Canton's Ledger API
 * (AuthServiceJWTPayload). The caller must have checked the token's signature and times. A token without
 * `sub` is invalid. Of the following rules, only the first one that applies is checked:
 * - If an audience is configured, `aud` must contain it.
 * - If a scope is configured, the token's scopes must contain it.
 * - If exactly one string in `aud` is of the pattern `https://daml.com/jwt/aud/participant/<id>`, that id
 *   must be this participant's id.
 * - Otherwise the token's scopes must contain `daml_ledger_api`, and `aud` must be empty or this
 *   participant's id.
 *
 * The token's scopes are in `scope` or, if that claim is absent or empty, in `scp`.
 */
export function ledgerTokenOf(
  claims: Claims,
  { audience, scope, participantId }: LedgerTokenRules,
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
