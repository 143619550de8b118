export interface EntryRequest {
  readonly name: string
  readonly url: string
  readonly description: string
}

/** The maximum lengths of a name, a url and a description, in UTF-16 code units. */
const maxNameLength = 60
const maxUrlLength = 255
const maxDescriptionLength = 140
const mostListedCharacters = 8

/**
 * Returns a sentence for each invalid field.
 * @param acronym the part of every name after its last dot, in lower case: `cns`.
 */
export function entryProblems(request: EntryRequest, acronym: string): readonly string[] {
  return [
    nameProblem(request.name, acronym),
    urlProblem(request.url),
    descriptionProblem(request.description),
  ].filter((problem) => problem !== undefined)
}

/** A valid name matches `[a-z0-9_-]+.unverified.<acronym>` and has at most 60 characters in all. */
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
  const others = [...new Set(label.match(/[^a-z0-9_-]/gu))].slice(0, mostListedCharacters)
  if (others.length === 0) return undefined
  return `${subject} may have only a to z, 0 to 9, _ and -, but it has ${others.map(shown).join(', ')}.`
}

/**
 * Returns a sentence that tells why no entry can have this name. An entry has the name of a user
 * (`alice.unverified.<acronym>`), of the DSO (`dso.<acronym>`) or of a super validator
 * (`sv-1.sv.<acronym>`). No rule limits the characters of a super validator's name.
 */
export function unusableName(name: string): string | undefined {
  if (/.\.sv\.[a-z0-9_-]+$/.test(name)) return undefined
  if (name.split('.').includes('')) return 'The name has a dot with nothing before or after it.'
  const acronym = /\.unverified\.([a-z0-9_-]+)$/.exec(name)?.[1]
  return acronym === undefined
    ? strangeProblem(name.replaceAll('.', ''), 'Between its dots the name')
    : nameProblem(name, acronym)
}

/**
 * A valid url is empty, or an absolute `http` or `https` URI. Letters beyond ASCII need not be
 * escaped.
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

/** A ledger cannot store a NUL character. */
export function descriptionProblem(description: string): string | undefined {
  if (description.length > maxDescriptionLength) {
    return `The description has more than ${maxDescriptionLength} characters.`
  }
  return description.includes('\0')
    ? `The description has ${shown('\0')}, which no text may have.`
    : undefined
}

function shown(character: string): string {
  if (character === ' ') return 'a space'
  return /[\p{C}\p{Z}]/u.test(character)
    ? `the character U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${character}"`
}
