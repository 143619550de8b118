import { tryJsonText } from '../base/lib/parse-json-text.ts'
import { valueAt } from '../base/lib/value-at.ts'

const longestQuote = 160

/**
 * Makes a string from a scan safe to show: on one line, without control characters, and shortened.
 */
export function quotable(text: string, longest = longestQuote): string {
  const plain = text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim()
  const characters = [...plain]
  return characters.length <= longest ? plain : `${characters.slice(0, longest - 1).join('')}…`
}

/**
 * Returns the error message in a JSON body, or any other body without HTML tags; at most 1,000
 * characters.
 */
export function errorTextIn(body: string): string {
  const start = body.slice(0, 16_384)
  const error = valueAt(tryJsonText(start), ['error'])
  const text = typeof error === 'string' ? error : textIn(start)
  return text.slice(0, 1_000)
}

/** Returns HTML without its tags, styles and scripts. */
function textIn(html: string): string {
  let hidden = ''
  const texts = html.split(/(<[^<>]*>)/).map((piece) => {
    const [tag, end, name = ''] = /^<(\/?)(\w+)\b[^<>]*>$/.exec(piece.toLowerCase()) ?? []
    if (hidden === '' && end === '' && ['style', 'script'].includes(name)) hidden = name
    else if (end === '/' && name === hidden) hidden = ''
    return hidden === '' && tag === undefined ? piece : ' '
  })
  return texts.join('')
}

export function showSpan(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return two(Math.floor(seconds / 60), 'min', seconds % 60, 's')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 1440) return two(Math.floor(minutes / 60), 'h', minutes % 60, 'min')
  const hours = Math.floor(minutes / 60)
  return two(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
}

export function showTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`
}
