import { createPublicKey, verify } from 'node:crypto'
import { isSignatureError, verifySignature, webcrypto } from 'http-message-sig'
import { httpbis } from 'http-message-signatures'
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

interface Unusual {
  /** The time of the verification; by default, the machine's time. */
  readonly now?: Date
}

interface Expected extends Unusual {
  readonly keys: readonly Pick<Jwk, 'kid' | 'x'>[]
}

/**
 * Verifies a receipt with two libraries that know nothing of this daemon. Throws if only one library accepts the
 * receipt.
 */
export async function verifies(
  heard: Heard,
  request: VerifiedRequest,
  keys: Expected['keys'],
  unusual: Unusual = {},
): Promise<boolean> {
  const expected = { keys, ...unusual }
  const first = (await byMessageSignatures(heard, request, expected)) === true
  const second = await byMessageSig(heard, request, expected)
  if (first !== second) throw new Error('the libraries differ')
  return first
}

async function byMessageSig(
  { status, headers }: Heard,
  { method = 'GET', path, headers: sent = {} }: VerifiedRequest,
  { keys, now }: Expected,
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

function byMessageSignatures(
  { status, headers }: Heard,
  { method = 'GET', path, headers: sent = {} }: VerifiedRequest,
  { keys, now }: Expected,
): Promise<boolean | null> {
  const message = { status, headers: headers as Record<string, string> }
  const request = { method, url: `http://daemon.example${path}`, headers: sent }
  const keyLookup = async ({ keyid }: { readonly keyid?: string }) => {
    const found = keys.find(({ kid }) => kid === keyid)
    if (found === undefined) return null
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: found.x }, format: 'jwk' })
    const check = async (base: Buffer, signature: Buffer) => verify(null, base, key, signature)
    return { id: found.kid, algs: ['ed25519'], verify: check }
  }
  const time = now && { notAfter: now, tolerance: Number.POSITIVE_INFINITY }
  return httpbis.verifyMessage({ keyLookup, all: true, ...time }, message, request)
}
