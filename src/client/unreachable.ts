import { ClientError } from './client-error.ts'

export function unreachable(base: string, cause: unknown): ClientError {
  return failed(`nobody answers at ${base}`, cause)
}

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
 * Describes the first error code of the system or of undici in an error and its causes. undici
 * gives no code, only the message `bad port`, for a port that the Fetch standard blocks.
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
