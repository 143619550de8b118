/** A component of a message that a signature covers: its identifier, such as `"@method";req`, and its value. */
export type Component = readonly [identifier: string, value: string]

/**
 * Builds the text that is signed (RFC 9421, 2.5).
 * @param parameters the text of the member of `signature-input`: the list of components and what follows it.
 */
export function signatureBase(components: readonly Component[], parameters: string): string {
  return [...components, ['"@signature-params"', parameters] as const]
    .map(([identifier, value]) => `${identifier}: ${value}`)
    .join('\n')
}

/** Prints the list of components that precedes the parameters of a signature. */
export function componentList(components: readonly Component[]): string {
  return `(${components.map(([identifier]) => identifier).join(' ')})`
}

/** The times of a signature in seconds since 1970, and its key. */
export interface SignatureTerms {
  readonly created: number
  readonly expires: number
  readonly keyid: string
}

/** Prints the parameters that follow the list of components. A signature over another text does not verify. */
export function signatureParameters({ created, expires, keyid }: SignatureTerms, tag: string): string {
  return `;created=${created};expires=${expires};keyid="${keyid}";alg="ed25519";tag="${tag}"`
}
