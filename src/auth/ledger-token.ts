import type { Claims } from './verifier.ts'

export interface LedgerTokenRules {
  readonly audience?: string | undefined
  readonly scope?: string | undefined
  readonly participantId: string
  /** On a localnet, tokens of Splice's LocalNet are good where no audience and no scope is configured. */
  readonly isLocalnet?: boolean
}

export type LedgerToken =
  | {
      readonly kind: 'ok'
      readonly userId: string
      /** In milliseconds since 1970. Undefined for a token that never expires. */
      readonly expiresAt: number | undefined
    }
  | { readonly kind: 'invalid'; readonly reason: string }
  | { readonly kind: 'other-participant' }

const ledgerScope = 'daml_ledger_api'
const localNetAudience = 'https://canton.network.global'
const participantAudience = 'https://daml.com/jwt/aud/participant/'

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
export function ledgerTokenOf(
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
