export type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'too-long' }

export const longestToken = 16_384

const scheme = 'bearer'
const space = 32

/**
 * Scans the header (RFC 6750) once. A regular expression could take quadratic time for a value with
 * many spaces.
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
