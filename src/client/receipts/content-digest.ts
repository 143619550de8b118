import { base64Of, base64UrlOf } from '../../base/lib/base64.ts'

const encoder = new TextEncoder()

async function sha256(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** Returns the value of the header `content-digest` for a body (RFC 9530). */
export async function contentDigestOf(text: string): Promise<string> {
  return `sha-256=:${base64Of(await sha256(text))}:`
}

export async function textDigest(text: string): Promise<string> {
  return base64UrlOf(await sha256(text))
}
