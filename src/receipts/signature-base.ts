/** A component of a message that a signature covers, with its value (RFC 9421, 2). */
export interface CoveredComponent {
  /** The serialised identifier with its parameters: `"@path";req`. */
  readonly identifier: string
  readonly value: string
}

/**
 * Returns the text that is signed (RFC 9421, 2.5).
 * @param params the serialised value of `@signature-params`.
 */
export function signatureBase(components: readonly CoveredComponent[], params: string): string {
  const lines = components.map(({ identifier, value }) => `${identifier}: ${value}`)
  return [...lines, `"@signature-params": ${params}`].join('\n')
}
