/** What an `Authorization` header says (RFC 6750), as far as it can be told without looking into a token. */
export type Bearer =
  | { readonly kind: 'token'; readonly token: string }
  /** There is no header, or one of another scheme. */
  | { readonly kind: 'none' }
  /** The scheme is there, the token is not. */
  | { readonly kind: 'empty' }
  /** The token is longer than any that is looked at. */
  | { readonly kind: 'too-long' }

/** Real tokens have one or two thousand characters. */
export const longestToken = 16_384

const scheme = 'bearer'
const space = 32

/** Walks over the header once, however long it is: each step of a regular expression could walk over it again. */
export function bearerIn(authorization = ''): Bearer {
  const start = afterSpaces(authorization, 0)
  const end = beforeSpaces(authorization, start)
  const afterScheme = start + scheme.length
  if (authorization.slice(start, afterScheme).toLowerCase() !== scheme) return { kind: 'none' }
  if (afterScheme === end) return { kind: 'empty' }
  if (authorization.charCodeAt(afterScheme) !== space) return { kind: 'none' }
  return bearerOf(authorization.slice(afterSpaces(authorization, afterScheme), end))
}

/** A token that came by another way than the header. */
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
