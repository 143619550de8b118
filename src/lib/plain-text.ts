/**
 * Replaces the characters that a terminal obeys. Otherwise a string from a scan could move the
 * cursor, recolour the terminal, or reverse the text after it.
 */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal obeys these characters
  return text.replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g, '\ufffd')
}
