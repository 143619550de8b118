/**
 * Returns a stranger's text as one line of visible characters. Otherwise the text could make lines
 * of its own, move the cursor, recolour the terminal, or reverse the text after it.
 */
export function plainText(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

/**
 * Escapes the characters in a JSON text that a terminal obeys or does not show. The text stays the
 * same JSON. Its line ends stay too, which are never inside of a string.
 */
export function plainJson(json: string): string {
  return json.replace(/[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )
}

function escaped(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
