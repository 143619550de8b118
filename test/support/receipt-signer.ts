import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { canonicalJson, type Json, parseJson } from '../../src/base/lib/canonical-json.ts'

/**
 * A daemon's key, derived from a text. This file signs receipts independently: it shares only canonical JSON with the
 * code that verifies receipts.
 */
export interface TestKey {
  readonly privateKey: KeyObject
  readonly jwk: { readonly kty: 'OKP'; readonly crv: 'Ed25519'; readonly x: string }
  readonly keyid: string
}

export function testKey(name: string): TestKey {
  const seed = sha256(`receipt key of ${name}`)
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
  const privateKey = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' })
  const { x = '' } = createPublicKey(privateKey).export({ format: 'jwk' })
  const jwk = { kty: 'OKP', crv: 'Ed25519', x } as const
  // The JWK thumbprint of RFC 7638.
  const keyid = sha256(JSON.stringify({ crv: 'Ed25519', kty: 'OKP', x })).toString('base64url')
  return { privateKey, jwk, keyid }
}

/** The content of a receipt. Each member but `key` has a default. */
export interface Testimony {
  readonly key: TestKey
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly sent: string | undefined
  readonly status: number
  readonly body: string
  readonly created: number
  readonly expires: number
  readonly roster: string
  readonly quorum: string
  readonly agreed: string
}

type TestComponent = readonly [identifier: string, value: string]

export const agreedAt = 1_795_316_400
export const namePath = '/v0/scan-proxy/ans-entries/by-name/alice.unverified.cns'
export const nameBody =
  '{"entry":{"contract_id":"00ab","user":"alice::1220ab","name":"alice.unverified.cns","url":"","description":"","expires_at":"2027-01-01T00:00:00Z"}}'

const defaults: Omit<Testimony, 'key'> = {
  method: 'GET',
  path: namePath,
  sent: undefined,
  status: 200,
  body: nameBody,
  created: agreedAt,
  expires: agreedAt + 86_400,
  roster: 'the roster',
  quorum: 'agreed=5, threshold=5, asked=6, voters=13',
  agreed: '"sv-a", "sv-b", "sv-c", "sv-d", "sv-e"',
}

/** A receipt in the form of a `.receipt.json` file. */
export interface MadeReceipt {
  readonly format: 1
  readonly request: { readonly method: 'GET' | 'POST'; readonly path: string; readonly body?: string }
  readonly response: {
    readonly status: number
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  readonly keys?: readonly TestKey['jwk'][]
}

export function madeReceipt(key: TestKey, given: Partial<Omit<Testimony, 'key'>> = {}): MadeReceipt {
  const made: Testimony = { ...defaults, key, ...given }
  const { method, path, sent, status, body, created, expires } = made
  const headers = {
    'content-type': 'application/json',
    'content-digest': digestField(body),
    'x-bft-receipt': receiptField(made),
    'x-bft-quorum': made.quorum,
    'x-bft-agreed': made.agreed,
  }
  const components = componentsOf(made, headers)
  const list = `(${components.map(([identifier]) => identifier).join(' ')})`
  const params = `${list};created=${created};expires=${expires};keyid="${key.keyid}";alg="ed25519";tag="bft-scan-receipt"`
  const lines = [...components, ['"@signature-params"', params]].map(([name, value]) => `${name}: ${value}`)
  const signature = sign(null, Buffer.from(lines.join('\n')), key.privateKey).toString('base64')
  return {
    format: 1,
    request: { method, path, ...(sent !== undefined && { body: sent }) },
    response: {
      status,
      headers: { ...headers, 'signature-input': `receipt=${params}`, signature: `receipt=:${signature}:` },
      body,
    },
  }
}

function componentsOf(
  { status, method, path, sent }: Testimony,
  headers: Readonly<Record<string, string>>,
): readonly TestComponent[] {
  const end = path.includes('?') ? path.indexOf('?') : path.length
  const [bare, query] = [path.slice(0, end), path.slice(end + 1)]
  const header = (name: string): TestComponent => [`"${name}"`, headers[name] ?? '']
  return [
    ['"@status"', String(status)],
    header('content-digest'),
    header('content-type'),
    ['"@method";req', method],
    ['"@path";req', bare],
    ['"@query";req', `?${query}`],
    ...(sent === undefined ? [] : [['"content-digest";req', digestField(sent)] as const]),
    header('x-bft-receipt'),
    header('x-bft-quorum'),
    header('x-bft-agreed'),
  ]
}

function receiptField({ created, body, roster }: Testimony): string {
  const value = sha256(canonicalJson(parseJson(body) as Json))
  const digests = { value, roster: sha256(roster), trust: sha256('the trust'), votes: sha256('the votes') }
  return [
    'v=1',
    `at=@${created}`,
    ...Object.entries(digests).map(([name, digest]) => `${name}=:${digest.toString('base64')}:`),
  ].join(', ')
}

export function digestField(body: string): string {
  return `sha-256=:${sha256(body).toString('base64')}:`
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
