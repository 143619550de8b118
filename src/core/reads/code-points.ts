/**
 * Returns a key such that `<` on keys compares the texts by code point. The operator `<` on texts
 * compares UTF-16 units, which put characters above U+FFFF before U+E000.
 */
export function codePointKey(text: string): string {
  if (!/[\ud800-\uffff]/.test(text)) return text
  let key = ''
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    key += String.fromCharCode(unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)
  }
  return key
}

export function compareCodePoints(a: string, b: string): number {
  const [x, y] = [codePointKey(a), codePointKey(b)]
  return x < y ? -1 : x > y ? 1 : 0
}
