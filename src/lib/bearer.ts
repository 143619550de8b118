/** The content of a header `Authorization` (RFC 6750), before the token is checked. */
export type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  /** The header is absent, or its scheme is not `Bearer`. */
  | { readonly kind: 'none' }
  /** The header has the scheme `Bearer` but no token. */
  | { readonly kind: 'empty' }
  /** The token is longer than `longestToken`. */
  | { readonly kind: 'too-long' }

/** The maximum number of characters of a token. Real tokens have one or two thousand. */
export const longestToken = 16_384

const scheme = 'bearer'
const space = 32

/**
 * Finds the bearer token in the value of a header `Authorization`. The function scans the value only once.
 * With a regular expression, a value with many spaces could take quadratic time.
 */
export function bearerIn(authorization = ''): Bearer {
  const start = afterSpaces(authorization, 0)
  const end = beforeSpaces(authorization, start)
  const afterScheme = start + scheme.length
  if (authorization.slice(start, afterScheme).toLowerCase() !== scheme) return { kind: 'none' }
  if (afterScheme === end) return { kind: 'empty' }
  if (authorization.charCodeAt(afterScheme) !== space) return { kind: 'none' }
  return bearerOf(authorization.slice(afterSpaces(authorization, afterScheme), end))
}

/** Classifies a token by its length. It does not verify the token. */
export function bearerOf(token: string): Bearer {
  if (token === '') return { kind: 'empty' }
  return token.length > longestToken ? { kind: 'too-long' } : { kind: 'token', token }
}

function afterSpaces(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) === space) at++
  return at
}

function beforeSpaces(text: string, from: number): number {
  let at = text.length
  while (at > from && text.charCodeAt(at - 1) === space) at--
  return at
}
