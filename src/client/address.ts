import { kindOf, nounOf } from '../lib/option-rules.ts'
import { withoutTrailing } from '../lib/without-trailing.ts'
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
    throw badUrl('must be an http or https URL', text)
  if (`${parsed.username}${parsed.password}` !== '')
    throw badUrl('must not have a user or a password (a daemon takes a token)', text)
  if (/[?#]/.test(parsed.href)) throw badUrl('must not have a query or a hash', text)
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

function badUrl(rule: string, text: string): ClientError {
  const { scheme = '', rest = '' } =
    /^(?<scheme>[a-z][a-z\d+.-]*:\/\/)?(?<rest>.*)$/is.exec(text)?.groups ?? {}
  const bare = rest.replace(/^.*@/s, '').replace(/[?#].*$/s, '')
  const corrected = `${scheme.toLowerCase() === 'https://' ? scheme : 'http://'}${bare}`
  // In `host?user:secret@x`, the text before the `@` may be a password. So if an `@` follows a `?`
  // or a `#`, the message shows only the example.
  const isClear = rest.lastIndexOf('@') <= rest.search(/[?#]|$/)
  const isUsable = isClear && URL.canParse(corrected) && !/^https?:\/\/(?:\/|$)/i.test(corrected)
  const shown = bare === rest ? `; it is '${text}'` : ''
  return new ClientError(
    'badUrl',
    `The url of a client ${rule}, such as ${isUsable ? corrected : example}${shown}.`,
  )
}
