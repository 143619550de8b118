/** Removes every occurrence of a character at the end of a text. Unlike `/0+$/`, it reads the text once. */
export function withoutTrailing(character: string, text: string): string {
  let end = text.length
  while (text[end - 1] === character) end--
  return text.slice(0, end)
}
