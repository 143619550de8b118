import { ClientError } from './client-error.ts'

/**
 * A bearer token, or a function that returns one. The client calls the function for each request.
 */
export type Token = string | undefined | (() => string | Promise<string>)

export const tokenFunction = 'the token function'

/** Allows only visible ASCII characters, as RFC 6750 does. The error does not repeat the token. */
export function checkedToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ClientError(
    'badToken',
    'A token must be a text of visible ASCII characters, without spaces and without the word Bearer; nothing was sent.',
  )
}

export async function tokenFor(token: Token, signal: AbortSignal): Promise<string | undefined> {
  if (token === undefined) return token
  if (typeof token !== 'function') return checkedToken(token)
  signal.throwIfAborted()
  const given = new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    Promise.resolve().then(token).then(resolve, reject)
  })
  return checkedToken(await given)
}
