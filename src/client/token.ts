import { ClientError } from './client-error.ts'

/**
 * A bearer token, or a function that returns one and that the client calls for each request. With undefined,
 * the client sends no token.
 */
export type Token = string | undefined | (() => string | undefined | Promise<string | undefined>)

/**
 * Returns the token if all of its characters are visible ASCII. RFC 6750 allows no others.
 * @throws ClientError `badToken`, which does not repeat the token.
 */
export function checkedToken(token: unknown): string | undefined {
  if (token === undefined || (typeof token === 'string' && /^[\x21-\x7e]*$/.test(token))) return token
  const problem =
    typeof token === 'string'
      ? 'has a space, a line break or another character that no token has'
      : 'is no text'
  throw new ClientError('badToken', `The token ${problem}; nothing was sent.`)
}

/**
 * Returns the token for one request. If `token` is a function, calls it and waits for its result.
 * @throws ClientError `badToken`; any error that the function throws; or the signal's reason as soon as the
 * signal aborts.
 */
export async function tokenFor(token: Token, signal: AbortSignal | undefined): Promise<string | undefined> {
  if (typeof token !== 'function') return checkedToken(token)
  signal?.throwIfAborted()
  return checkedToken(await unlessAborted(token(), signal))
}

function unlessAborted<Value>(
  value: Value | Promise<Value>,
  signal: AbortSignal | undefined,
): Value | Promise<Value> {
  if (signal === undefined) return value
  return new Promise<Value>((resolve, reject) => {
    const leave = () => reject(signal.reason)
    signal.addEventListener('abort', leave)
    if (signal.aborted) leave()
    Promise.resolve(value)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', leave))
  })
}
