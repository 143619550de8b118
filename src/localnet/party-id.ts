const safe = /^[a-zA-Z0-9:\-_ ]+$/

/** Returns what is wrong with a party id, in Canton's words; undefined if it is valid. */
export function partyIdProblem(text: string): string | undefined {
  if (text === '') return 'Empty string is not a valid unique identifier.'
  const cut = text.indexOf('::')
  if (cut === -1) return `Invalid unique identifier \`${text}\` with missing namespace.`
  if (cut === 0) return `Invalid unique identifier \`${text}\` with empty identifier.`
  const identifier = partProblem(text.slice(0, cut), 185)
  if (identifier !== undefined) return `Identifier decoding of \`${text}\` failed with: ${identifier}`
  const fingerprint = partProblem(text.slice(cut + 2), 68)
  if (fingerprint !== undefined) return `Fingerprint decoding of \`${text}\` failed with: ${fingerprint}`
  return undefined
}

function partProblem(text: string, longest: number): string | undefined {
  if (text === '') return 'The given string is empty'
  if (text.length > longest) {
    return `The given string has a maximum length of ${longest} but a string of length ${text.length} was given`
  }
  if (!safe.test(text)) return `The given string "${text}" contains characters other than [a-zA-Z0-9:-_ ]`
  return undefined
}
