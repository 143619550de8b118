/** A name that a user wants to register. */
export interface EntryRequest {
  readonly name: string
  readonly url: string
  readonly description: string
}

/** The maximum lengths count UTF-16 code units. */
const maxNameLength = 60
const maxUrlLength = 255
const maxDescriptionLength = 140
/** At most this many different characters are named that a name may not have. */
const mostStrange = 8

/**
 * Returns the first problem with the name, the url or the description, as a sentence; undefined if all are valid.
 * Super validators check in the same order (AnsUtil.scala).
 * @param acronym the acronym of the name service, in lower case: `cns`.
 */
export function entryProblem(request: EntryRequest, acronym: string): string | undefined {
  return (
    nameProblem(request.name, acronym) ?? urlProblem(request.url) ?? descriptionProblem(request.description)
  )
}

/**
 * Returns the problem with a name, as a sentence; undefined if there is none. A valid name is
 * `[a-z0-9_-]{1,M}.unverified.<acronym>` with at most 60 characters in all.
 */
export function nameProblem(name: string, acronym: string): string | undefined {
  const suffix = `.unverified.${acronym}`
  if (!name.endsWith(suffix)) return `The name has to end in ${suffix}.`
  const chosen = name.slice(0, -suffix.length)
  const room = maxNameLength - suffix.length
  if (chosen === '') return `The name has nothing before ${suffix}.`
  if (chosen.length > room) return `The name has more than ${room} characters before ${suffix}.`
  return strangeProblem(chosen, `Before ${suffix} the name`)
}

function strangeProblem(label: string, subject: string): string | undefined {
  const others = [...new Set(label.match(/[^a-z0-9_-]/gu))].slice(0, mostStrange)
  if (others.length === 0) return undefined
  return `${subject} may have only a to z, 0 to 9, _ and -, but it has ${others.map(shown).join(', ')}.`
}

/**
 * Returns why no entry can have this name, as a sentence; undefined if one may. It accepts also names that
 * nobody registers: of the DSO, `dso.<acronym>`, and of super validators, `sv-1.sv.<acronym>`, whose characters no rule limits.
 */
export function unusableName(name: string): string | undefined {
  if (/\.sv\.[a-z0-9_-]+$/.test(name)) return undefined
  const acronym = /\.unverified\.([a-z0-9_-]+)$/.exec(name)?.[1]
  return acronym === undefined
    ? strangeProblem(name.replaceAll('.', ''), 'Between its dots the name')
    : nameProblem(name, acronym)
}

/**
 * Returns the problem with a url, as a sentence; undefined if there is none. A valid url is empty, or an absolute
 * `http` or `https` URI of at most 255 characters, in which letters beyond ASCII need no escape.
 */
export function urlProblem(url: string): string | undefined {
  if (url === '') return undefined
  if (url.length > maxUrlLength) return `The url has more than ${maxUrlLength} characters.`
  const other = /[\p{Cc}\p{Cs}\p{Z}"<>\\^`{|}]/u.exec(url)?.[0]
  if (other !== undefined) return `The url has ${shown(other)}, which no URI may have.`
  if (/%(?![0-9a-f]{2})/i.test(url)) return 'The url has a % that two hex digits do not follow.'
  if (!/^https?:/i.test(url)) return 'The url does not begin with http:// or https://.'
  if (!/^https?:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) return 'The url names no host.'
  return undefined
}

/**
 * Returns the problem with a description, as a sentence; undefined if there is none. A valid one has at most 140
 * characters and no NUL, which a ledger does not store.
 */
export function descriptionProblem(description: string): string | undefined {
  if (description.length > maxDescriptionLength) {
    return `The description has more than ${maxDescriptionLength} characters.`
  }
  return description.includes('\0')
    ? `The description has ${shown('\0')}, which no text may have.`
    : undefined
}

function shown(character: string): string {
  return /[\p{C}\p{Z}]/u.test(character)
    ? `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`
}
