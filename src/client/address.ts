import { kindOf, nounOf } from '../base/lib/option-rules.ts'
import { withoutTrailing } from '../base/lib/without-trailing.ts'
import { ClientError } from './client-error.ts'

const example = 'http://127.0.0.1:8080'

/**
 * Checks the address of a daemon, and returns it without trailing slashes.
 * @throws ClientError, whose message never shows the user, password, query or hash: they may be
 * secret.
 */
export function checkedAddress(url: unknown): string {
  const text = textOf(url)
  if (text === '') throw new ClientError('badUrl', `A client needs the url of a daemon, such as ${example}.`)
  const parsed = URL.canParse(text) ? new URL(text) : undefined
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol))
    throw badUrl('must be an http or https URL')
  if (`${parsed.username}${parsed.password}` !== '')
    throw badUrl('must not have a user or a password (a daemon takes a token)')
  if (/[?#]/.test(parsed.href)) throw badUrl('must not have a query or a hash')
  return withoutTrailing('/', parsed.href)
}

function textOf(url: unknown): string {
  const isUrl = typeof url === 'string' || kindOf(url) === 'URL'
  if (isUrl || url === undefined || url === null) return String(url ?? '').trim()
  throw new ClientError(
    'badUrl',
    `The url of a client must be an http or https URL, such as ${example}; it is ${nounOf(url)}.`,
  )
}

function badUrl(rule: string): ClientError {
  return new ClientError('badUrl', `The url of a client ${rule}, such as ${example}.`)
}
