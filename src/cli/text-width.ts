/**
 * Most characters of East Asia, and emoji, take two columns of a terminal (Unicode's East Asian
 * Width W and F).
 */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const segmenter = new Intl.Segmenter()
/** A stranger's text can have megabytes. JSON output has whole texts. */
const longestText = 1_000

export function bounded(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`
}

export function widthOf(text: string): number {
  let width = 0
  for (const { segment } of segmenter.segment(text)) width += columnsOf(segment)
  return width
}

export function fitted(text: string, width = Number.POSITIVE_INFINITY): string {
  if (widthOf(text) <= width) return text
  let kept = ''
  let left = width - 1
  for (const { segment } of segmenter.segment(text)) {
    left -= columnsOf(segment)
    if (left < 0) break
    kept += segment
  }
  return width > 0 ? `${kept}…` : ''
}

function columnsOf(segment: string): number {
  if (/^\p{M}/u.test(segment)) return 0
  return wide.test(segment) ? 2 : 1
}
