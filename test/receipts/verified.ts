import { isSignatureError, verifySignature, webcrypto } from 'http-message-sig'
import type { Heard } from '../localnet/ask.ts'

export const asking = { 'accept-signature': 'sig=();tag="bft-scan-receipt"' }

export const directory = '/.well-known/http-message-signatures-directory'

interface Jwk {
  readonly kid: string
  readonly x: string
  readonly nbf: number
  readonly exp: number
  readonly 'cross-signature'?: { readonly keyid: string; readonly signature: string }
}

export interface VerifiedRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Record<string, string>
}

export function keysIn({ text }: Heard): readonly Jwk[] {
  return (JSON.parse(text) as { readonly keys: readonly Jwk[] }).keys
}

/** Verifies a receipt with a library that knows nothing of this daemon. */
export async function verifies(
  { status, headers }: Heard,
  { method = 'GET', path, headers: sent = {} }: VerifiedRequest,
  keys: readonly Pick<Jwk, 'kid' | 'x'>[],
  /** The time of the verification; by default, the machine's time. */
  { now }: { readonly now?: Date } = {},
): Promise<boolean> {
  const fieldsOf = (of: NodeJS.Dict<string | string[]>) =>
    Object.entries(of).map(([name, value]) => ({ name, value: String(value) }))
  const targetUri = `http://daemon.example${path}`
  const request = new Request(targetUri, { method, headers: sent })
  const message = { kind: 'response', status, fields: fieldsOf(headers), request } as const
  try {
    await verifySignature(message, {
      policy: {
        algorithms: ['ed25519'],
        requiredComponents: ['@status'],
        requiredParameters: ['created', 'expires', 'tag'],
        ...(now && { now: now.getTime() / 1000 }),
      },
      resolveVerifier: async ({ parameters }) => {
        const x = keys.find(({ kid }) => kid === parameters.keyid)?.x ?? ''
        const jwk = { kty: 'OKP', crv: 'Ed25519', x }
        return webcrypto.verifier(await crypto.subtle.importKey('jwk', jwk, 'Ed25519', true, ['verify']))
      },
    })
    return true
  } catch (error) {
    if (isSignatureError(error) && error.code === 'VerificationFailed') return false
    throw error
  }
}
