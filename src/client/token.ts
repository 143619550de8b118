import { ClientError } from './client-error.ts'

/**
 * A bearer token, or a function that returns one and that the client calls for each request. With undefined
 * in place of a function or a text, the client sends no token.
 */
export type Token = string | undefined | (() => string | Promise<string>)

/** The name of a token function in the error for a function that takes too long. */
export const tokenFunction = 'the token function'

/**
 * Returns the token if it is not empty and all of its characters are visible ASCII. RFC 6750 allows no
 * others.
 * @throws ClientError `badToken`, which does not repeat the token.
 */
export function checkedToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ClientError(
    'badToken',
    'A token must be a text of visible ASCII characters, without spaces and without the word Bearer; nothing was sent.',
  )
}

/**
 * Returns the token for one request; undefined if the caller gave none. If `token` is a function, calls it
 * and waits for its result.
 * @throws ClientError `badToken`; any error that the function throws; or the signal's reason as soon as the
 * signal aborts.
 */
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
