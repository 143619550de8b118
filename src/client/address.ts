import { ClientError } from './client-error.ts'

const example = 'http://127.0.0.1:8080'

/**
 * Returns the address of a daemon without a slash at its end.
 * @throws ClientError if it is no http or https URL. The message has a corrected one.
 */
export function checkedAddress(url: string | URL): string {
  const text = String(url ?? '').trim()
  const { protocol = '' } = URL.canParse(text) ? new URL(text) : {}
  if (!['http:', 'https:'].includes(protocol)) throw badUrl(text)
  return new URL(text).href.replace(/\/+$/, '')
}

function badUrl(text: string): ClientError {
  if (text === '') return new ClientError('badUrl', `A client needs the url of a daemon, such as ${example}.`)
  const corrected = `http://${text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '')}`
  const isUsable = URL.canParse(corrected) && !/^http:\/\/(?:\/|$)/.test(corrected)
  return new ClientError(
    'badUrl',
    `The url of a client must be an http or https URL, such as ${isUsable ? corrected : example}; it is '${text}'.`,
  )
}
