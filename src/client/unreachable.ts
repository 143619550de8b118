import { ClientError } from './client-error.ts'

/**
 * Makes the error that no server answered. The message has the reason if it is known; browsers do not reveal
 * it. If `cause` is a `ClientError`, returns `cause` instead.
 */
export function unreachable(base: string, cause: unknown): ClientError {
  return failed(`nobody answers at ${base}`, cause)
}

/**
 * Makes the error that a server began a response and did not finish it. Treats `cause` as `unreachable` does.
 */
export function brokenOff(base: string, cause: unknown): ClientError {
  return failed(`${base} broke its answer off`, cause)
}

function failed(says: string, cause: unknown): ClientError {
  if (cause instanceof ClientError) return cause
  const reason = reasonIn(cause)
  return new ClientError('unreachable', reason === undefined ? says : `${says}: ${reason}`, { cause })
}

const mostCauses = 5

/**
 * Finds the first error code of the operating system or of undici in an error and its causes, and describes
 * it in words. undici's error for a port that the Fetch standard blocks has no code, only the message `bad
 * port`. Undefined if there is no such code.
 * @param left how many levels of nested causes, including `error`, may still be searched.
 */
function reasonIn(error: unknown, left = mostCauses): string | undefined {
  if (typeof error !== 'object' || error === null || left === 0) return undefined
  const { code, cause, errors, message } = error as Partial<Record<'code' | 'errors', unknown>> &
    Partial<Error>
  if (message === 'bad port') return 'HTTP clients never ask this port'
  if (typeof code === 'string' && /^[A-Z][A-Z\d_]+$/.test(code)) return wordsOf(code)
  const [first] = Array.isArray(errors) ? errors : []
  return reasonIn(cause, left - 1) ?? reasonIn(first, left - 1)
}

function wordsOf(code: string): string {
  const known = reasons.find(([pattern]) => pattern.test(code))
  return known === undefined ? code : `${known[1]} (${code})`
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/^ECONNREFUSED$/, 'the connection was refused'],
  [/^(?:ENOTFOUND|EAI_\w+)$/, 'the name was not found'],
  [/^(?:ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/, 'it took too long'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'the connection was closed'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL)$/, 'there is no route to it'],
  [/^HPE_/, 'the answer is not HTTP'],
  [/TLS|SSL|CERT|CRL|SIGNATURE|HOSTNAME_MISMATCH|^EPROTO$/, 'TLS failed'],
]
