/**
 * A part of a message that a signature covers: its identifier, such as `"@method";req`, and its
 * value.
 */
export type Component = readonly [identifier: string, value: string]

/**
 * Builds the text that is signed (RFC 9421, 2.5).
 * @param parameters the text that follows the label in `signature-input`.
 */
export function signatureBase(components: readonly Component[], parameters: string): string {
  return [...components, ['"@signature-params"', parameters] as const]
    .map(([identifier, value]) => `${identifier}: ${value}`)
    .join('\n')
}

export function componentList(components: readonly Component[]): string {
  return `(${components.map(([identifier]) => identifier).join(' ')})`
}

/** The times are seconds since 1970. */
export interface SignatureTerms {
  readonly created: number
  readonly expires: number
  readonly keyid: string
}

/**
 * Returns the parameters that follow the list of components in `signature-input`. The signature
 * covers this text, so its format must not change.
 */
export function signatureParameters({ created, expires, keyid }: SignatureTerms, tag: string): string {
  return `;created=${created};expires=${expires};keyid="${keyid}";alg="ed25519";tag="${tag}"`
}
