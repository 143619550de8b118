const redacted = '[redacted]'

type Redact = (value: unknown) => unknown

/** A shorter secret may be an ordinary word, so the log does not hide it. */
const shortestSecret = 8
const deepest = 8
const mostElements = 100
const longestText = 8192
/**
 * A long string is cut, perhaps within a secret. Then this many characters before the cut are
 * removed too, so that no part of the secret remains.
 */
const longestSecret = 4096

const secretKey =
  /^pass$|(?:authorization|cookie|password|passphrase|passwd|secret|token|credentials?|apikey|privatekey|hmackey|jwt)$/

const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${redacted}`],
  [/\beyJ[\w-]{5,}[\w.-]*/g, redacted],
  [
    /((?:token|secret|password|passphrase|api_?key|signature)["']?\s?[=:]\s?["']?)[^\s&"',;]+/gi,
    `$1${redacted}`,
  ],
]

/**
 * Returns a function that copies a value for the log, limited in depth and length. It removes
 * values under keys such as `password`, credentials in URLs and headers, tokens, and all `secrets`.
 */
export function redactor(secrets: readonly string[] = []): Redact {
  const known = secrets
    .filter((secret) => secret.length >= shortestSecret)
    .flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())])
    .sort((a, b) => b.length - a.length)

  function text(value: string): string {
    const isCut = value.length > 2 * longestText
    let clean = isCut ? value.slice(0, 2 * longestText) : value
    for (const secret of known) clean = clean.replaceAll(secret, redacted)
    clean = clean.replace(/[^\s"'<>]+/g, withoutCredentials)
    for (const [pattern, replacement] of secretTexts) clean = clean.replace(pattern, replacement)
    const most = isCut ? Math.min(longestText, clean.length - longestSecret) : longestText
    return clean.length > most ? `${clean.slice(0, Math.max(0, most))}...` : clean
  }

  function copy(value: unknown, above: readonly object[]): unknown {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'function' || typeof value === 'symbol') return undefined
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Date || value instanceof URL) return text(String(value.toJSON()))
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `${value.byteLength} bytes`
    if (above.includes(value)) return '[repeated]'
    if (above.length === deepest) return '[deep]'
    return copyInside(value, [...above, value])
  }

  function copyInside(value: object, path: readonly object[]): unknown {
    if (Array.isArray(value) || value instanceof Set) {
      return [...value].slice(0, mostElements).map((element) => copy(element, path))
    }
    const entries: [string, unknown][] = isEntries(value)
      ? [...value].map(([key, inside]) => [String(key), inside])
      : Object.entries(value)
    const error = value instanceof Error ? errorEntries(value) : []
    return Object.fromEntries(
      [...error, ...entries]
        .slice(0, mostElements)
        .map(([key, inside]) => [
          text(key),
          isSecretKey(key) && isSaid(inside) ? redacted : copy(inside, path),
        ]),
    )
  }

  return (value) => copy(value, [])
}

/**
 * Hides what stands between the scheme of a URL and the last `@` of the word, because a password may
 * contain an `@`.
 */
function withoutCredentials(word: string): string {
  const start = word.indexOf('://') + 3
  const end = word.lastIndexOf('@')
  return start < 3 || end < start ? word : `${word.slice(0, start)}${redacted}${word.slice(end)}`
}

function errorEntries(error: Error): [string, unknown][] {
  const { name, message, stack, cause } = error
  const nested = error instanceof AggregateError ? [['errors', error.errors] as [string, unknown]] : []
  return [
    ['type', name],
    ['message', message],
    ['stack', stack],
    ...(cause ? [['cause', cause] as [string, unknown]] : []),
    ...nested,
  ]
}

function isEntries(value: object): value is Iterable<[unknown, unknown]> {
  return value instanceof Map || value instanceof Headers || value instanceof URLSearchParams
}

function isSecretKey(key: string): boolean {
  return secretKey.test(key.toLowerCase().replaceAll(/[^a-z]/g, ''))
}

/** Empty values and booleans are shown, because they reveal only whether a secret is set. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && typeof value !== 'boolean'
}
